import subprocess
import sys
from pathlib import Path


def test_notebooks_run_only_when_they_are_asked_for():
    tests = Path(__file__).with_name("test_make.py")
    command = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", str(tests)]
    out = subprocess.run(command, capture_output=True, text=True, cwd=tests.parents[2]).stdout
    assert "pytest -m notebooks runs the notebooks" in out and " passed" not in out
