import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NEEDS = 'needs pip install -e ".[notebooks]"'

collect_ignore = ["claims"]  # cells, which need the names of their notebook


@pytest.fixture(scope="session")
def maker():
    """What tools/make.py defines."""
    for library in ("jupytext", "nbclient", "ipykernel"):
        pytest.importorskip(library, reason=NEEDS)
    return SimpleNamespace(**runpy.run_path(str(FOLDER.parent / "tools" / "make.py")))
