import numpy as np
import pytest

DARK = {"text.color": "white", "figure.facecolor": "#111111", "axes.facecolor": "#111111"}


@pytest.fixture
def dark():
    """Draw as on a dark page."""
    import matplotlib.style

    with matplotlib.style.context(["dark_background", DARK]):
        yield


@pytest.fixture
def weights():
    """Four heads over three queries and five keys, each row a distribution."""
    return np.random.default_rng(0).dirichlet(np.full(5, 0.5), (4, 3))
