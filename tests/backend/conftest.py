import warnings

import pytest

from npformer.backend import use_backend, xp
from tests.backend.stand_in import DeviceLibrary


def use_library(name: str) -> None:
    """Switch to "numpy", "cupy", or the "stand-in", which npformer takes for CuPy."""
    if name != "stand-in":
        use_backend(name)
        return
    xp.__dict__.clear()
    xp.library_name, xp.library = "cupy", DeviceLibrary()


@pytest.fixture
def library():
    """Give the function that switches libraries, and bring NumPy back after the test."""
    yield use_library
    use_backend("numpy")


@pytest.fixture
def stand_in(library):
    library("stand-in")


@pytest.fixture
def gpu(library):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cupy = pytest.importorskip("cupy")
    if not cupy.is_available():
        pytest.skip("CuPy finds no GPU")
    return library
