"""A trace of a model whose attention goes by blocks: weights are there, and backward knows which way forward went."""

import numpy as np
import pytest
from one_step import SRC, TGT_IN, train_step

import npformer as npf

SOFTMAX = "decoder.layers.0.self_attention.sublayer.attention.softmax"


def both(make_model):
    made = [make_model(attention=kind, dropout=0.0, dtype="float64") for kind in ("plain", "blockwise")]
    for layer in made[1].decoder.layers:
        layer.self_attention.sublayer.attention.block = 2
    return made


def test_traced_it_has_the_weights_of_the_plain_one_and_their_gradients(make_model):
    plain, by_blocks = both(make_model)
    with npf.trace(plain) as expected:
        train_step(plain)
    with npf.trace(by_blocks) as t:
        train_step(by_blocks)
    for what in ("output", "mask", "dx"):
        found, wanted = (trace[SOFTMAX].arrays[what] for trace in (t, expected))
        np.testing.assert_array_equal(found, wanted)
    assert (np.asarray(t[SOFTMAX].output)[0, 0] > 0).tolist() == np.tri(3, dtype=bool).tolist()
    with npf.trace(by_blocks, depth=None) as after:
        pass
    assert SOFTMAX not in after
    by_blocks.forward(SRC, TGT_IN)
    assert dict(by_blocks.named_modules())[SOFTMAX]._memory is None


@pytest.mark.parametrize("traced", ["forward", "backward"])
def test_forward_and_backward_may_go_either_side_of_the_trace(make_model, traced):
    plain, by_blocks = both(make_model)
    expected = train_step(plain)
    dlogits = np.ones_like(expected["logits"])
    plain.zero_grad(), plain.forward(SRC, TGT_IN), plain.backward(dlogits)
    trace = npf.trace(by_blocks)
    if traced == "forward":
        with trace:
            by_blocks.forward(SRC, TGT_IN)
        by_blocks.backward(dlogits)
    else:
        by_blocks.forward(SRC, TGT_IN)
        with trace:
            by_blocks.backward(dlogits)
    for one, other in zip(by_blocks.parameters(), plain.parameters(), strict=True):
        np.testing.assert_allclose(one.grad, other.grad, rtol=0, atol=1e-11)
