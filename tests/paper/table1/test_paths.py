"""Path lengths and waiting products are found, and are what section 4 says they are."""

import math

import numpy as np
import pytest

from npformer import InputError
from npformer.paper.table1 import ATTENTION, KINDS, Path, Size, find_path, gradient_by_position, layers_between_ends
from npformer.paper.table1.path_length import _stack

LSTM, CONVOLUTION, DILATED, RESTRICTED = KINDS[1:]
lengths = pytest.mark.parametrize("n", [2, 5, 12])


@lengths
def test_self_attention_reaches_everything_at_once(n):
    assert find_path(ATTENTION, n) == Path("self-attention", n, sequential=4, layers=1, products=4)


@lengths
def test_a_recurrence_takes_a_step_a_position(n):
    assert find_path(LSTM, n) == Path("recurrent (LSTM)", n, sequential=n, layers=1, products=n)


@pytest.mark.parametrize(("n", "k"), [(2, 3), (5, 3), (12, 3), (12, 5), (13, 5), (14, 7)])
def test_a_convolution_takes_a_layer_for_each_half_window(n, k):
    layers = math.ceil((n - 1) / (k // 2))
    assert find_path(CONVOLUTION, n, k=k) == Path("convolution", n, sequential=1, layers=layers, products=layers)


@pytest.mark.parametrize(("n", "k", "layers"), [(2, 3, 1), (5, 3, 2), (14, 3, 3), (41, 3, 4), (40, 5, 4), (41, 5, 5)])
def test_dilation_makes_the_path_a_logarithm(n, k, layers):
    found = find_path(DILATED, n, k=k)
    assert found == Path("dilated", n, sequential=1, layers=layers, products=layers)


@pytest.mark.parametrize(("n", "r"), [(2, 2), (9, 4), (10, 4), (12, 3), (12, 30)])
def test_restricted_attention_takes_a_layer_for_each_half_neighbourhood(n, r):
    layers = math.ceil((n - 1) / (r - r // 2))
    assert find_path(RESTRICTED, n, r=r) == Path("restricted", n, sequential=4, layers=layers, products=4 * layers)


def test_the_gradient_moves_as_far_as_a_layer_sees():
    size = Size(9, 4, k=5, r=4)
    for n_layers in (1, 2, 3):
        for kind in (CONVOLUTION, RESTRICTED):
            reached = gradient_by_position(kind, size, n_layers) > 0
            assert reached.tolist() == [t >= 8 - 2 * n_layers for t in range(9)]
    assert (gradient_by_position(LSTM, size, 1) > 0).all()


def test_a_layer_that_reaches_nobody_is_told():
    blind = ATTENTION._replace(
        name="blind", build=lambda size, *_: CONVOLUTION.build(size._replace(k=1), 0, 0, "float64")
    )
    with pytest.raises(InputError, match="blind: no gradient reaches the first of 4 positions from the last"):
        layers_between_ends(blind, Size(4, 4))


@pytest.mark.parametrize(
    ("n", "settings", "message"), [(0, {}, "n = 0: "), (3, {"k": 2}, "k = 2: "), (3, {"r": 0}, "r = 0: ")]
)
def test_sizes_are_checked(n, settings, message):
    with pytest.raises(InputError, match=message):
        find_path(LSTM, n, **settings)


def test_what_each_position_receives_is_the_norm_of_its_gradient():
    size = Size(4, 3)
    dy = np.random.default_rng(1).standard_normal((1, 3))
    [layer] = _stack(CONVOLUTION, size, 1)
    expected = [np.linalg.norm(dy @ layer.weight.data[j].T) for j in (0, 1)]
    np.testing.assert_allclose(gradient_by_position(CONVOLUTION, size, 1), [0, 0, *expected])
