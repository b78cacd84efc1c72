"""The keys of lstm_step, lstm_backward, pooling and near_first against npformer's layers."""

import numpy as np
import pytest

from npformer.layers import LSTM, MeanPooling, Softmax
from npformer_course import course
from npformer_course.case import Case
from npformer_course.definition import module_of


def draws(id, seed):
    case = Case(course.load(id), seed)
    return module_of(case.exercise.key), [drawn.inputs for drawn in case.draws]


@pytest.mark.parametrize("seed", range(2))
def test_two_lstm_steps_and_their_backward_equal_the_layer(seed):
    step, inputs = draws("lstm_step", seed)
    back, _ = draws("lstm_backward", seed)
    for a in inputs:
        w, u, b = a["w"], a["u"], a["b"]
        layer = LSTM(*a["x"].shape[1:], len(u), dtype="float64")
        layer.w_input.weight.data[...] = w
        layer.w_input.bias.data[...] = b
        layer.w_hidden.data[...] = u

        # the layer begins with a state of 0, so the second step has a state that is not
        words = np.stack([a["x"], a["x"][::-1]], 1)  # (B, 2, D)
        zeros = np.zeros(a["h_old"].shape)
        h_0, c_0, gates_0 = step.lstm_step(words[:, 0], zeros, zeros, w, u, b)
        h_1, c_1, gates_1 = step.lstm_step(words[:, 1], h_0, c_0, w, u, b)
        np.testing.assert_allclose(np.stack([h_0, h_1], 1), layer.forward(words), rtol=1e-10)

        dy = np.stack([a["h_old"], a["c_old"]], 1)  # any numbers
        dx = layer.backward(dy)
        dz_1, dh, dc = back.lstm_backward(dy[:, 1], zeros, gates_1, c_0, c_1, u)
        dz_0, _, _ = back.lstm_backward(dy[:, 0] + dh, dc, gates_0, zeros, c_0, u)
        np.testing.assert_allclose(np.stack([dz_0 @ w.T, dz_1 @ w.T], 1), dx, rtol=1e-9, atol=1e-12)
        du = h_0.T @ dz_1
        np.testing.assert_allclose(du, layer.w_hidden.grad, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_lstm_backward_is_the_derivative_of_the_step(seed):
    step, _ = draws("lstm_step", seed)
    back, inputs = draws("lstm_backward", seed)
    for a in inputs:
        rng = np.random.default_rng(seed)
        n = len(a["u"])
        x = rng.normal(size=(len(a["dh"]), 3))
        w, b = rng.normal(size=(3, 4 * n)), rng.normal(size=4 * n)
        h_old, c_old = rng.normal(size=(2, *a["dh"].shape))
        _, c, gates = step.lstm_step(x, h_old, c_old, w, a["u"], b)
        found = back.lstm_backward(a["dh"], a["dc"], gates, c_old, c, a["u"])

        def loss(old_h, old_c):
            h, c, _ = step.lstm_step(x, old_h, old_c, w, a["u"], b)  # noqa: B023
            return (a["dh"] * h).sum() + (a["dc"] * c).sum()  # noqa: B023

        eps = 1e-6
        for s in range(len(h_old)):
            for j in range(n):
                d = np.zeros_like(h_old)
                d[s, j] = eps
                by_h = (loss(h_old + d, c_old) - loss(h_old - d, c_old)) / (2 * eps)
                by_c = (loss(h_old, c_old + d) - loss(h_old, c_old - d)) / (2 * eps)
                assert abs(by_h - found[1][s, j]) < 1e-6 and abs(by_c - found[2][s, j]) < 1e-6


@pytest.mark.parametrize("seed", range(2))
def test_pooling_equals_the_layer(seed):
    key, inputs = draws("pooling", seed)
    for a in inputs:
        layer = MeanPooling()
        np.testing.assert_allclose(
            key.mean_pool(a["x"], a["mask"]), layer.forward(a["x"], a["mask"])
        )
        np.testing.assert_allclose(
            key.mean_pool_backward(a["dy"], a["mask"]), layer.backward(a["dy"]), atol=1e-15
        )


@pytest.mark.parametrize("seed", range(2))
def test_slope_gives_a_far_word_its_share_of_weight(seed):
    key, inputs = draws("near_first", seed)
    for a in inputs:
        n = a["distance"]
        slope = key.slope_for(n, a["ratio"])
        alike = np.zeros((1, 1, n + 3, n + 3))
        weights = Softmax().forward(key.near_first(alike, np.array([slope])))[0, 0]
        assert weights[1, 1 + n] / weights[1, 1] == pytest.approx(a["ratio"])
        assert weights[1 + n, 1] / weights[1 + n, 1 + n] == pytest.approx(a["ratio"])
