"""LSTMs: their values against slow formulas, masks, directions, and how they start."""

import numpy as np
import pytest

from npformer import slow_formulas as slow
from npformer.layers import LSTM, BidirectionalLSTM
from tests.small_models import disturb

B, T, D, H = 4, 7, 5, 3
DOUBLE = {"dtype": "float64"}
REAL = np.array(
    [[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 0]],
    bool,
)


def built(kind, rng):
    """Return a layer with weights of order 1, and x."""
    layer = kind(D, H, rng=rng, **DOUBLE)
    disturb(layer, rng, 0.5)
    return layer, rng.normal(size=(B, T, D))


@pytest.mark.parametrize("real", [None, REAL], ids=["full", "masked"])
def test_values_equal_formula(real):
    lstm, x = built(LSTM, np.random.default_rng(0))
    y, weights = lstm.forward(x, real), lstm.state_dict()
    for b in range(B):
        expected = slow.lstm(weights, x[b], np.ones(T, bool) if real is None else real[b])
        np.testing.assert_allclose(y[b], expected, rtol=1e-12, atol=1e-14)


def test_both_directions_are_concatenated():
    layer, x = built(BidirectionalLSTM, np.random.default_rng(1))
    y = layer.forward(x, REAL)
    for b in range(B):
        sides = [
            slow.lstm(side.state_dict(), x[b], REAL[b], side is layer.leftward)
            for side in (layer.rightward, layer.leftward)
        ]
        np.testing.assert_allclose(y[b], np.hstack(sides), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kind", [LSTM, BidirectionalLSTM])
def test_padding_changes_no_output_and_has_no_gradient(kind):
    rng = np.random.default_rng(2)
    layer, x = built(kind, rng)
    y = layer.forward(x, REAL)
    dx = layer.backward(np.ones_like(y))
    assert not y[~REAL].any() and not dx[~REAL].any() and dx[REAL].all()
    other = np.where(REAL[..., None], x, rng.normal(size=x.shape))
    np.testing.assert_array_equal(layer.forward(other, REAL), y)


@pytest.mark.parametrize("kind", [LSTM, BidirectionalLSTM])
def test_sentence_alone_equals_sentence_in_batch(kind):
    layer, x = built(kind, np.random.default_rng(3))
    y = layer.forward(x, REAL)
    dx = layer.backward(np.ones_like(y))
    gradients = [p.grad.copy() for p in layer.parameters()]
    layer.zero_grad()
    for b in range(B):
        alone = layer.forward(x[b : b + 1, REAL[b]])
        np.testing.assert_allclose(alone[0], y[b, REAL[b]], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(
            layer.backward(np.ones_like(alone))[0], dx[b, REAL[b]], rtol=1e-12, atol=1e-14
        )
    for p, gradient in zip(layer.parameters(), gradients, strict=True):
        np.testing.assert_allclose(p.grad, gradient, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("side", "unseen"), [("rightward", slice(4, None)), ("leftward", slice(0, 3))]
)
def test_each_direction_depends_only_on_positions_it_has_read(side, unseen):
    layer, x = built(BidirectionalLSTM, np.random.default_rng(4))
    dy = np.zeros((B, T, 2 * H))
    layer.forward(x)
    dy[:, 3, :H] = side == "rightward"
    dy[:, 3, H:] = side == "leftward"
    dx = layer.backward(dy)
    assert not dx[:, unseen].any() and np.count_nonzero(dx.any(-1).all(0)) == T - len(
        range(T)[unseen]
    )


def test_initial_forget_bias_is_one_and_others_zero():
    bias = LSTM(D, H, rng=0).w_input.bias.data
    assert bias.tolist() == [0] * H + [1] * H + [0] * 2 * H


def test_each_gate_is_initialized_independently():
    lstm = LSTM(96, 64, rng=0, **DOUBLE)
    assert abs(lstm.w_input.weight.data).max() == pytest.approx((6 / (96 + 64)) ** 0.5, rel=1e-3)
    gates = np.split(lstm.w_hidden.data, 4, axis=1)
    for gate in gates:
        np.testing.assert_allclose(gate @ gate.T, np.eye(64), atol=1e-12)  # orthogonal
    assert not any(np.allclose(gates[0], gate) for gate in gates[1:])


def test_initial_recurrent_weights_are_random_orthogonal():
    """QR alone gives matrices whose first entry is never positive."""
    signs = {np.sign(LSTM(D, H, rng=seed).w_hidden.data[0, 0]) for seed in range(12)}
    assert signs == {-1, 1}


def test_two_directions_have_separate_weights():
    layer = BidirectionalLSTM(D, H, rng=0)
    assert not np.isclose(
        layer.rightward.w_input.weight.data, layer.leftward.w_input.weight.data
    ).any()
