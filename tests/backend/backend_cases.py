"""What both libraries compute: each function returns host arrays by name, to be compared."""

import numpy as np

import npformer as npf
from npformer.backend import to_device, to_host
from npformer.layers import Dropout
from npformer.tasks import Objective, TranslationBatch
from npformer.training import Adam, WarmupSchedule

V = 11
SRC = np.array([[4, 5, 6, 3], [7, 4, 3, 0]])
TGT_IN, TGT_OUT = (
    np.array([[2, 8, 9, 4, 4], [2, 8, 0, 0, 0]]),
    np.array([[8, 9, 4, 4, 3], [8, 3, 0, 0, 0]]),
)
# no attention_bias: the gradient of a key's bias is 0 except for rounding, which Adam would scale
# up to its step size
SIZES = dict(d_model=6, d_ff=10, n_heads=2, max_len=8, attention_bias=False, dtype="float64")


def run_case(case, dtype):
    """Return the output and all gradients of a gradient case without dropout."""
    rng = np.random.default_rng(5)
    layer, inputs = case.build(rng, dtype)
    for _, module in layer.named_modules():
        if isinstance(module, Dropout):
            module.p = 0.0
    y = layer.forward(*inputs)
    returned = layer.backward(
        to_device(rng.normal(size=np.shape(y)).astype(dtype) if np.shape(y) else 1.0)
    )
    returned = returned if isinstance(returned, tuple) else (returned,)
    found = {"y": y} | {f"dx {i}": dx for i, dx in enumerate(returned) if dx is not None}
    return {name: to_host(x).copy() for name, x in (found | gradients(layer)).items()}


def gradients(layer):
    return {f"d {name}": p.grad for name, p in layer.named_parameters()}


def build_transformer(**settings):
    sizes = dict(
        src_vocab_size=V, tgt_vocab_size=V, n_encoder_layers=2, n_decoder_layers=2, dropout=0.0
    )
    return npf.Transformer(npf.TransformerConfig(**{**SIZES, **sizes, **settings}), rng=0)


def train(model, steps=3):
    """Return the losses of a few updates and the weights after them."""
    adam = Adam(model.parameters(), learning_rate=WarmupSchedule(SIZES["d_model"], 100))
    objective, losses = Objective(model), []
    for _ in range(steps):
        model.zero_grad()
        losses.append(objective.forward(TranslationBatch(SRC, TGT_IN, TGT_OUT)))
        objective.backward()
        adam.step()
    return {"losses": np.array(losses)} | model.state_dict()


def run_on(library, names, run):
    """Return what `run` returns with each of these libraries."""
    results = []
    for name in names:
        library(name)
        results.append(run())
    return results


def compare(one, other, tolerance):
    """Fail unless both have the same names, types and values, within `tolerance` of each array's
    largest value.
    """
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert other[name].dtype == array.dtype, name
        atol = tolerance * max(np.abs(array).max(), 1.0)
        np.testing.assert_allclose(other[name], array, rtol=0, atol=atol, err_msg=name)
