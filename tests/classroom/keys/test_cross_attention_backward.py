import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.layers import CrossAttention
from npformer.models.config import TransformerConfig
from npformer.models.decoder import DecoderLayer

EXERCISE = course.load("cross_attention_backward")
KEY = module_of(EXERCISE.key)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer(seed, index):
    case = Case(EXERCISE, seed)
    inputs = case.drawn[index].inputs
    layer = CrossAttention(inputs["dy"].shape[-1], inputs["q"].shape[1], bias=False, rng=0, dtype="float64")
    for name in ("w_query", "w_key", "w_value", "w_output"):
        getattr(layer, name).weight.data[:] = inputs[name]
    layer.forward(inputs["x"], inputs["memory"], inputs["mask"][:, 0])
    for mine, theirs in zip(case.expected["layer"][index], layer.backward(inputs["dy"]), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)


def test_the_key_is_the_derivative_of_a_decoder():
    config = TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9, dropout=0.0, dtype="float64")
    rng = np.random.default_rng(0)
    layers = [DecoderLayer(config, rng=rng) for _ in range(3)]
    x, dy, memory = (rng.normal(size=(2, length, config.d_model)) for length in (5, 5, 3))

    def loss(x, memory):
        for layer in layers:
            x = layer.forward(x, memory)
        return (dy * x).sum()

    loss(x, memory)
    dx, dmemory = KEY.decoder_backward(dy, [layer.backward for layer in layers])
    steps = [1e-6 * rng.normal(size=array.shape) for array in (x, memory)]
    slopes = [loss(x + steps[0], memory) - loss(x - steps[0], memory)]
    slopes += [loss(x, memory + steps[1]) - loss(x, memory - steps[1])]
    for slope, step, gradient in zip(slopes, steps, (dx, dmemory), strict=True):
        assert abs(slope / (2 * (gradient * step).sum()) - 1) < 1e-6
