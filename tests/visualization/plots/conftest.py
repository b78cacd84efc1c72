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


@pytest.fixture
def whole():
    """Assert that no text of a figure reaches beyond its edge."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    def check(figure):
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        for text in figure.findobj(Text):
            if text.get_visible() and text.get_text() and text.axes is not None and text.axes.get_visible():
                box = text.get_window_extent()
                inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1
                assert inside, text.get_text()

    return check
