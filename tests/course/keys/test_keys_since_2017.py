"""The keys of RMSNorm, SwiGLU and grouped queries against npformer's layers."""

import numpy as np
import pytest

from npformer import layers
from npformer.layers.extra.grouped_query_attention import GroupedAttention
from npformer_course import course
from npformer_course.case import Case
from npformer_course.definition import module_of


def agree(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-11)


def check_rms_norm(key, a):
    layer = layers.RMSNorm(a["gain"].size, eps=a["eps"], dtype="float64")
    layer.gain.data[...] = a["gain"]
    y, xhat, scale = key.rms_norm(a["x"], a["gain"], a["eps"])
    agree([y], [layer.forward(a["x"])])
    agree([xhat, scale], layer.recall(y))
    layer.forward(a["x"])
    dx, dgain = key.rms_norm_backward(a["dy"], xhat, scale, a["gain"])
    agree([dx, dgain], [layer.backward(a["dy"]), layer.gain.grad])


def check_swiglu_backward(key, a):
    layer = layers.SwiGLU(*a["w1"].shape, dtype="float64")
    linears = (layer.gate, layer.linear_1, layer.linear_2)
    for linear, name in zip(linears, ("w_gate", "w1", "w2"), strict=True):
        linear.weight.data[...] = a[name]
    y, before, value = key.swiglu(a["x"], a["w_gate"], a["w1"], a["w2"])
    agree([y, before, value], [layer.forward(a["x"]), a["before"], a["value"]])
    gradients = [layer.backward(a["dy"])]
    for linear in linears:
        gradients.append(linear.weight.grad)
    agree(key.swiglu_backward(**a), gradients)


def check_grouped_queries(key, a):
    for k, v in ((a["k"], a["v"]), (a["k_single"], a["v_single"])):
        y, weights = key.grouped_attention(a["q"], k, v)
        layer = GroupedAttention(k.shape[1])
        agree([y], [layer.forward(a["q"], k, v)])
        # values that give the weights themselves
        one_hot = np.broadcast_to(np.eye(k.shape[2]), (*k.shape[:2], k.shape[2], k.shape[2]))
        agree([weights], [layer.forward(a["q"], k, one_hot.copy())])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("check", [check_rms_norm, check_swiglu_backward, check_grouped_queries])
def test_key_equals_layer(check, seed):
    case = Case(course.load(check.__name__.removeprefix("check_")), seed)
    for drawn in case.draws:
        check(module_of(case.exercise.key), drawn.inputs)
