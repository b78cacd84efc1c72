"""The generators write the shipped files again."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = (
    "npformer/datasets/files/phrasebook.tsv.gz",
    "npformer/datasets/files/dates.tsv.gz",
    "npformer/datasets/files/mistakes.tsv.gz",
    "notebooks/helpers/few_mistakes.tsv.gz",
)


@pytest.mark.long
def test_generators_write_the_shipped_files_again(tmp_path):
    program = [sys.executable, ROOT / "data/generate.py", "--into", tmp_path]
    printed = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    assert tuple(printed.splitlines()) == FILES
    for file in FILES:
        written = gzip.decompress((tmp_path / file).read_bytes())
        assert written == gzip.decompress((ROOT / file).read_bytes()), (
            f"{file} differs: run  python data/generate.py  and  python data/write.py"
        )
