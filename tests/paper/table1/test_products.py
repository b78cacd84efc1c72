"""The instrument that sees products of matrices, and which of them waits for which."""

import numpy as np
import pytest

from npformer import xp
from npformer.layers import LayerNorm, Linear
from npformer.paper.table1 import longest_chain, watch
from npformer.paper.table1.matmul_counter import _changed

SQUARE = np.random.default_rng(0).normal(size=(3, 3))
SEQUENCE = np.random.default_rng(0).normal(size=(2, 5, 3))


def test_weights_are_seen_and_products_with_a_vector_are_not():
    def work(x):
        return LayerNorm(4, dtype="float64").forward(Linear(3, 4, rng=0, dtype="float64").forward(x))

    products, y = watch(work, SEQUENCE)
    assert [product.multiply_adds for product in products] == [10 * 3 * 4]
    np.testing.assert_array_equal(y, work(SEQUENCE))


def test_results_in_place_and_with_out_are_the_plain_ones():
    def work(x):
        y = xp.zeros((3, 3))
        y += x @ x
        xp.exp(y, out=y)
        xp.matmul(x, y, out=y)
        return y.sum(0) + y.max(1)

    products, y = watch(work, SQUARE)
    np.testing.assert_array_equal(y, work(SQUARE))
    assert len(products) == 2


def test_factors_are_those_that_were_multiplied_even_where_the_result_takes_their_place():
    def work(x):
        xp.matmul(x, x, out=x)
        x += 1
        return x

    [product], _ = watch(work, SQUARE.copy())
    np.testing.assert_array_equal(product.factors, [SQUARE, SQUARE])


def test_one_result_is_disturbed_and_only_what_waits_for_it_changes():
    def work(x):
        return (x @ x) @ x + x @ (2 * x)

    plain, y = watch(work, SQUARE)
    first, disturbed_y = watch(work, SQUARE, 0)
    assert _changed(plain, first) == [1]
    assert not np.allclose(y, disturbed_y)
    last, _ = watch(work, SQUARE, 2)
    assert _changed(plain, last) == []


def test_the_library_is_back_afterwards_even_after_an_error():
    watch(lambda x: x, SQUARE)
    assert xp.exp is np.exp and xp.library is np and type(xp.zeros(2)) is np.ndarray
    with pytest.raises(ZeroDivisionError):
        watch(lambda x: 1 / 0, SQUARE)
    assert xp.zeros is np.zeros


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (lambda x: x + 1, 0),
        (lambda x: x @ x, 1),
        (lambda x: x @ x + x @ (x + 1) + x @ (x + 2), 1),
        (lambda x: ((x @ x) @ x) @ x, 3),
        (lambda x: (x @ x) @ (x @ x), 2),
        (lambda x: 0 * (x @ x) @ x, 1),  # times 0 nobody waits
    ],
)
def test_a_chain_counts_products_that_wait_and_no_others(work, expected):
    assert longest_chain(work, SQUARE) == expected


def steps_apart(x):
    """Multiply each position on its own, one after the other, all in one array."""
    y = xp.zeros(x.shape)
    for t in range(x.shape[1]):
        y[:, t] = x[:, t] @ SQUARE
    return y


def steps_linked(x):
    """Multiply each position with the sum so far."""
    y = xp.zeros(x.shape)
    for t in range(x.shape[1]):
        y[:, t] = (x[:, t] + y[:, t - 1]) @ SQUARE
    return y


def test_a_loop_is_no_chain_unless_its_steps_wait():
    assert longest_chain(steps_apart, SEQUENCE) == 1
    assert longest_chain(steps_linked, SEQUENCE) == SEQUENCE.shape[1]


def test_between_two_positions_only_products_on_the_way_count():
    for first, last in ((0, 4), (1, 3), (2, 2)):
        assert longest_chain(steps_linked, SEQUENCE, between=(first, last)) == last - first + 1
    assert longest_chain(steps_linked, SEQUENCE, between=(3, 1)) == 0
    assert longest_chain(steps_apart, SEQUENCE, between=(0, 4)) == 0
