"""The files in data/ are the first lines of the data sets."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from npformer import datasets

FOLDER = Path(__file__).parents[2] / "data"

MADE = [name for name, data in datasets.registry().items() if data.is_synthetic]


@pytest.mark.parametrize("name", MADE)
def test_files_in_data_are_what_is_shipped(name):
    written = runpy.run_path(str(FOLDER / "write.py"))["data_files"](name)
    on_disk = {path.relative_to(FOLDER).as_posix() for path in (FOLDER / name).iterdir()}
    assert on_disk == set(written)
    for path, text in written.items():
        assert (FOLDER / path).read_bytes().decode("utf-8") == text, (
            f"{path} differs: run  python data/write.py"
        )


def test_write_program_writes_the_files_of_the_named_sets(tmp_path):
    program = [sys.executable, FOLDER / "write.py", "--into", tmp_path, "copy", "dates"]
    subprocess.run(program, check=True, capture_output=True)
    for name in ("copy", "dates"):
        for path in (tmp_path / name).iterdir():
            assert path.read_bytes() == (FOLDER / name / path.name).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "dates"]


def test_write_program_writes_all_sets_without_names(tmp_path):
    subprocess.run(
        [sys.executable, FOLDER / "write.py", "--into", tmp_path], check=True, capture_output=True
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(MADE)
