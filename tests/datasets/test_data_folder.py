"""The files in data/ are the first lines of the data sets."""

import subprocess
import sys
from pathlib import Path

from npformer import datasets

FOLDER = Path(__file__).parents[2] / "data"

MADE = [name for name, data in datasets.registry().items() if data.is_synthetic]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_in_data_are_what_the_program_writes_without_names(tmp_path):
    program = [sys.executable, FOLDER / "write.py", "--into", tmp_path]
    subprocess.run(program, check=True, capture_output=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(MADE)
    for name in MADE:
        assert contents(FOLDER / name) == contents(tmp_path / name), "run  python data/write.py"


def test_write_program_writes_the_files_of_the_named_sets(tmp_path):
    program = [sys.executable, FOLDER / "write.py", "--into", tmp_path, "copy", "dates"]
    subprocess.run(program, check=True, capture_output=True)
    for name in ("copy", "dates"):
        assert contents(tmp_path / name) == contents(FOLDER / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "dates"]
