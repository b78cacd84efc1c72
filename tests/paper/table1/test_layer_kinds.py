"""The multiply-adds of the formulas are those that NumPy is asked for, forward and backward, to the last one."""

import numpy as np
import pytest

from npformer import InputError
from npformer.paper.table1 import ATTENTION, KINDS, Size, multiply_adds, watch
from npformer.paper.table1.layer_kinds import n_dilations, n_heads

every_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
SIZES = [
    Size(7, 5),
    Size(10, 4, k=5, r=3),
    Size(40, 2, k=3, r=17),
    Size(33, 3, k=3, r=32, batch=3),
    Size(1, 6),
    Size(19, 128, r=2, batch=2),
]


@every_kind
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("way", ["forward", "both"])
def test_the_formulas_count_what_is_multiplied(kind, size, way):
    def work(x):
        layer = kind.build(size, n_dilations(size) - 1, dtype="float64")
        y = layer.forward(x)
        return layer.backward(y) if way == "both" else y

    products, _ = watch(work, size.input("float64"))
    expected = kind.products(size) if way == "forward" else multiply_adds(kind, size)
    assert sum(product.multiply_adds for product in products) == expected > 0


def test_the_formulas_where_they_are_as_short_as_the_papers():
    n, d, k, r = 4096, 512, 3, 32
    counted = {kind.name: kind.products(Size(n, d, k, r)) for kind in KINDS}
    assert counted["self-attention"] == 2 * n**2 * d + 4 * n * d**2
    assert counted["recurrent (LSTM)"] == 8 * n * d**2
    assert counted["convolution"] == counted["dilated"] == k * n * d**2
    assert counted["restricted"] == 2 * n * (r + 32) * d + 4 * n * d**2  # r neighbours of each block of 32


@pytest.mark.parametrize(("d", "expected"), [(32, 1), (64, 1), (128, 2), (512, 8), (100, 1)])
def test_heads_have_64_features_where_there_is_room(d, expected):
    assert n_heads(Size(3, d)) == expected == ATTENTION.build(Size(3, d)).n_heads


@pytest.mark.parametrize(("n", "k", "expected"), [(1, 3, 1), (3, 3, 1), (4, 3, 2), (9, 3, 2), (10, 3, 3), (26, 5, 3)])
def test_the_largest_dilation_reaches_into_the_sequence(n, k, expected):
    size = Size(n, 2, k)
    assert n_dilations(size) == expected
    dilated = next(kind for kind in KINDS if kind.name == "dilated")
    dilations = [dilated.build(size, level).steps[1] for level in range(expected + 1)]
    assert dilations == [*(k**level for level in range(expected)), 1]


@every_kind
def test_a_layer_has_the_type_and_the_weights_asked_for(kind):
    size = Size(9, 4, k=5, r=2)
    one, other = (kind.build(size, rng=seed, dtype=dtype) for seed, dtype in ((0, "float32"), (1, "float64")))
    x = size.input("float32")
    assert one.forward(x).dtype == "float32" and other.forward(x.astype("float64")).dtype == "float64"
    assert not np.allclose(one.forward(x), other.forward(x))


def test_input_depends_on_shape_and_seed_alone():
    size = Size(5, 3, batch=2)
    assert size.input("float32").shape == (2, 5, 3) and size.input("float32").dtype == "float32"
    assert np.array_equal(size.input("float64"), size.input("float64"))
    assert not np.array_equal(size.input("float64"), size.input("float64", seed=1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n": 0}, "n = 0: expected an integer >= 1"),
        ({"d": 2.5}, "d = 2.5: expected an integer >= 1"),
        ({"r": 0}, "r = 0: expected an integer >= 1"),
        ({"batch": -1}, "batch = -1: expected an integer >= 1"),
        ({"k": 4}, "k = 4: expected an odd kernel width, 3 or more"),
        ({"k": 1}, "k = 1: expected an odd kernel width, 3 or more"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(wrong, message):
    with pytest.raises(InputError) as caught:
        Size(**{"n": 5, "d": 4, **wrong}).checked()
    assert str(caught.value) == message
