import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NEEDS = 'needs pip install -e ".[notebooks]"'


@pytest.fixture(scope="session")
def maker(request):
    """What notebooks/make.py defines; running notebooks takes minutes, so who wants it says so."""
    if "notebooks" not in request.config.option.markexpr:
        pytest.skip("pytest -m notebooks runs the notebooks")
    for library in ("jupytext", "nbclient", "ipykernel"):
        pytest.importorskip(library, reason=NEEDS)
    return SimpleNamespace(**runpy.run_path(str(FOLDER / "make.py")))
