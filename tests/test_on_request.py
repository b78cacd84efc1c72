"""Plain pytest leaves out what takes minutes or needs a browser, and says how to ask for it."""

import subprocess
import sys
from pathlib import Path


def test_notebooks_browsers_and_what_takes_long_run_only_when_they_are_asked_for():
    files = (
        "notebooks/test_make.py",
        "browser/test_keyboard.py",
        "cli/test_data_verb.py::test_the_files_hold_the_pairs_line_by_line",
    )
    tests = Path(__file__).parent
    command = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", *(str(tests / file) for file in files)]
    out = subprocess.run(command, capture_output=True, text=True, cwd=tests.parent).stdout
    for said in (
        "runs the notebooks: pytest -m notebooks",
        "opens a browser: pytest -m browser",
        "takes long: pytest -m long",
    ):
        assert said in out
    assert " passed" not in out
