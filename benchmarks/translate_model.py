"""The model of all engines: npformer's, and its arrays as other engines keep them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sizes import FIRST_WORD, Size

import npformer as npf
from npformer.layers.positional_encoding import sinusoids

EPS = 1e-5  # of every LayerNorm: the one that all engines have
TABLE = "encoder.input_embedding.embedding.table"
READERS = ("w_query.weight", "w_key.weight", "w_value.weight", "linear_1.weight")
WRITERS = (
    "w_output.weight",
    "w_output.bias",
    "linear_2.weight",
    "linear_2.bias",
    "norm.gain",
    "norm.bias",
    "table",
)


def reference_model(size: Size) -> npf.Transformer:
    """Return a model whose random weights give each sentence a translation of its own.

    As they are drawn, all sentences soon end in the same word, again and again. Sharper attention
    with smaller values keeps them apart; random signs before the generator keep a word, whose
    vector passes through the residuals, from being its own most probable successor; their size
    makes the probabilities peaked, as a trained model's are. The special tokens' rows are 0, so
    that none of them is preferred to a word.
    """
    rng = np.random.default_rng(0)
    model = npf.Transformer(replace(size.config(0.0), layer_norm_eps=EPS), rng=rng)
    state = {name: array.copy() for name, array in model.state_dict().items()}
    for name, array in state.items():
        if name.endswith(("w_query.weight", "w_key.weight")):
            array *= 3
        elif name.endswith(("w_value.weight", "w_output.weight")):
            array *= 0.6
    state[f"decoder.layers.{size.n_layers - 1}.feed_forward.norm.gain"][:] = rng.choice(
        [-2, 2], size.d_model
    )
    state[TABLE][:FIRST_WORD] = 0
    model.load_state_dict(state)
    return model


class Arrays:
    """npformer's arrays in pairs, a weight and a bias; matrices are (out, in), as elsewhere."""

    def __init__(self, model: npf.Transformer):
        self.state = model.state_dict()
        self.table = self.state[TABLE]
        self.positions = sinusoids(model.config.max_len, model.config.d_model).astype("float32")

    def pair(self, sublayer: str, *names: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the "norm" of a sublayer, or its linear maps of these names as a single map.

        >>> Arrays(model).pair("decoder.layers.0.cross_attention", "w_key", "w_value")
        """
        if names == ("norm",):
            return self.state[f"{sublayer}.norm.gain"], self.state[f"{sublayer}.norm.bias"]
        weights = [self.state[f"{sublayer}.sublayer.{name}.weight"].T for name in names]
        biases = [self.state[f"{sublayer}.sublayer.{name}.bias"] for name in names]
        return np.concatenate(weights), np.concatenate(biases)


class HalvedArrays(Arrays):
    """The same function with its features reordered: all sines first, then all cosines."""

    def __init__(self, model: npf.Transformer):
        super().__init__(model)
        order = np.r_[0 : model.config.d_model : 2, 1 : model.config.d_model : 2]
        for name, array in self.state.items():
            if name.endswith(READERS):
                self.state[name] = array[order]
            elif name.endswith(WRITERS):
                self.state[name] = array[..., order]
        self.table = self.state[TABLE]
        self.positions = self.positions[:, order]
