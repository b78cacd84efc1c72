"""Agreement to 1e-10, and a table of the largest error of each topic at the end of the run."""

import numpy as np
import pytest

TOLERANCE = 1e-10
# No doctests are in them. Where PyTorch is missing, pytest would leave half of such a module behind,
# which the tests then import.
collect_ignore = """
    exported.py marian_made.py parity.py their_translator.py torch_transformer.py weights.py
""".split()
LARGEST = pytest.StashKey[dict]()


def relative_error(ours, theirs, scale):
    """Return max |ours - theirs| / max |scale| of an array and two tensors."""
    ours, theirs, scale = np.asarray(ours), theirs.detach().numpy(), scale.detach().numpy()
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    return np.abs(ours - theirs).max() / np.abs(scale).max()


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """On arrays as small as these, threads that wait for each other take ten times as long on a
    busy machine.
    """
    import torch

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def agree(request):
    """Assert that an array equals a tensor, and remember the largest error under the name of the
    test.

    The error is relative to the tensor's largest entry, or to that of another tensor, `scale`.
    """
    largest = request.config.stash.setdefault(LARGEST, {})
    topic = request.node.originalname.removeprefix("test_").replace("_", " ")

    def assert_agreement(name, ours, theirs, *, scale=None, tolerance=TOLERANCE):
        error = relative_error(ours, theirs, theirs if scale is None else scale)
        assert error <= tolerance, (
            f"{name} is {error:.1e} away from PyTorch, more than {tolerance:g}"
        )
        largest[topic] = max(largest.get(topic, (0.0, "")), (error, name))

    return assert_agreement


def pytest_terminal_summary(terminalreporter, config):
    largest = config.stash.get(LARGEST, {})
    if largest:
        terminalreporter.section("parity with PyTorch: largest relative error")
        for topic, (error, name) in largest.items():
            terminalreporter.write_line(f"{topic:40} {error:8.1e}  {name}")
