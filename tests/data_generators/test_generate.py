"""The generators write the shipped files again."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATES = "npformer/datasets/files/dates.tsv.gz"
FILES = (
    "npformer/datasets/files/phrasebook.tsv.gz",
    DATES,
    "npformer/datasets/files/mistakes.tsv.gz",
    "notebooks/helpers/few_mistakes.tsv.gz",
)


def generate(folder, *names):
    """Return the files that the program says it has written into a folder."""
    program = [sys.executable, ROOT / "data/generate.py", "--into", folder, *names]
    printed = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    return tuple(printed.splitlines())


def assert_same_rows(folder, file):
    written = gzip.decompress((folder / file).read_bytes())
    assert written == gzip.decompress((ROOT / file).read_bytes()), (
        f"{file} differs: run  python data/generate.py  and  python data/write.py"
    )


def test_generator_writes_a_named_file_again(tmp_path):
    assert generate(tmp_path, "dates") == (DATES,)
    assert_same_rows(tmp_path, DATES)


@pytest.mark.long
def test_generators_write_all_shipped_files_again(tmp_path):
    assert generate(tmp_path) == FILES
    for file in FILES:
        assert_same_rows(tmp_path, file)
