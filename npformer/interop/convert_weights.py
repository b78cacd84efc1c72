"""Another program's weights under our names, and the Translator that they make."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from ..models import Transformer, TransformerConfig
from ..tasks import Translator
from ..text import AnyVocabulary
from ..utils import InputError, settings_of

Table = dict[
    str, dict[str, dict[str, str]]
]  # stack, part of a layer, then their prefix of a Linear or norm: our names
STACKS = ("encoder", "decoder")
OURS = {
    "source": "encoder.tokens.embedding.table",
    "target": "decoder.tokens.embedding.table",
    "generator": "generator.table",
    "bias": "generator.bias",
}
SPARE = -1  # in the place of a row that their embedding matrix does not have
NEVER = -1e9  # a bias with which softmax gives a token 0, while its logarithm is still a number


class Side(NamedTuple):
    """The vocabulary of the source or the target, and the row of each of its tokens in their embedding matrix."""

    vocabulary: AnyVocabulary
    rows: np.ndarray  # (V,), SPARE where they do not have the token


def as_floats(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return arrays of floats, those in half precision as float32; other types, NaN and infinity are refused."""
    for name, array in arrays.items():
        if array.dtype.kind != "f" or array.ndim == 0:
            raise InputError(
                f"{name} has the type {array.dtype} and the shape {array.shape}: expected floats"
            )
        if not np.isfinite(array).all():
            raise InputError(
                f"{name} contains NaN or infinity: the file is damaged, or the training diverged"
            )
    return {
        name: a.astype(np.float32) if a.dtype == np.float16 else a for name, a in arrays.items()
    }


def layer_names(table: Table, weights: Collection[str], stem: str) -> dict[str, list[str]]:
    """Return our names of each of their arrays in the layers: several where they stack matrices in one array.

    `weights` has the names, theirs or ours, of as many layers as there are. `stem` begins their name of a layer, with a
    place for the stack's. Where the table has the name of a weight, there is no bias.

    >>> table = {"encoder": {"self_attention": {"qkv.weight": "sublayer.w_query sublayer.w_key"}}}
    >>> layer_names(table, ["enc.0.qkv.weight"], "enc.")
    {'enc.0.qkv.weight': ['encoder.layers.0.self_attention.sublayer.w_query.weight', \
'encoder.layers.0.self_attention.sublayer.w_key.weight']}
    """
    names = {}
    for stack, parts in table.items():
        starts = (stem.format(stack), f"{stack}.layers.")  # theirs and ours
        layers = {
            n.removeprefix(start).split(".")[0]
            for n in weights
            for start in starts
            if n.startswith(start)
        }
        if not layers:
            raise InputError(
                f"these weights lack {starts[0]}0: expected the encoder and decoder of a Transformer"
            )
        for i in range(len(layers)):
            for part, prefixes in parts.items():
                for theirs, ours in prefixes.items():
                    own = [f"{stack}.layers.{i}.{part}.{name}" for name in ours.split()]
                    names |= weight_and_bias(f"{starts[0]}{i}.{theirs}", own)
    return names


def weight_and_bias(theirs: str, ours: list[str]) -> dict[str, list[str]]:
    """Return our names of a weight and its bias, or of a weight alone; the weight of a LayerNorm is our gain."""
    if theirs.endswith("weight"):
        return {theirs: [f"{name}.weight" for name in ours]}
    kinds = {"weight": "gain" if ours[0].endswith("norm") else "weight", "bias": "bias"}
    return {f"{theirs}{kind}": [f"{name}.{own}" for name in ours] for kind, own in kinds.items()}


def take(weights: dict[str, np.ndarray], *names: str) -> np.ndarray:
    """Remove an array that may have any of some names, or all of them, and return it."""
    arrays = [weights.pop(name) for name in names if name in weights]
    if not arrays:
        raise InputError(
            f"these weights lack {names[0]}: the file is of another kind, or a part of it is missing"
        )
    return arrays[0]


def take_layers(
    weights: dict[str, np.ndarray], names: dict[str, list[str]]
) -> dict[str, np.ndarray]:
    """Return all arrays under our names: their matrices are (out, in), ours (in, out).

    Raises `InputError` where an array is missing, cannot be split, or has no name of ours.
    """
    layers, left = {}, dict(weights)
    for theirs, ours in names.items():
        array = take(left, theirs)
        if array.ndim not in (1, 2) or len(array) % len(ours):
            raise InputError(
                f"{theirs} has the shape {array.shape}: expected {len(ours)} matrices or vectors, stacked"
            )
        layers |= {own: part.T for own, part in zip(ours, np.split(array, len(ours)), strict=True)}
    if left:
        came = ", ".join(f"{name} {array.shape}" for name, array in sorted(left.items())[:4])
        raise InputError(
            f"no place is known for {came}: leave out in Python what does not matter (from_state_dict)"
        )
    return layers


def build_translator(
    weights: dict[str, np.ndarray],
    tables: dict[str, np.ndarray],
    sides: tuple[Side, Side],
    **settings,
) -> Translator:
    """Return the Translator of `weights` under our names and of `tables`, whose rows are still in their order.

    These are the embedding matrices of "source" and "target", to be multiplied by sqrt(d_model), that of the
    "generator", and its "bias" if there is one. `settings` are those of the config that weights do not show. Raises
    `InputError` where something does not fit.
    """
    if SPARE in sides[1].rows and "bias" not in tables:
        tables = tables | {"bias": np.zeros_like(tables["generator"][:, 0])}
    for name, table in tables.items():
        rows = sides[0 if name == "source" else 1].rows
        if table.shape[:1] != (rows.max() + 1,):
            came = f"the {name} has an array of the shape {table.shape}, its vocabulary has {rows.max() + 1} tokens"
            raise InputError(f"{came}: give the vocabulary that the model was trained with")
        weights[OURS[name]] = table[rows]
        weights[OURS[name]][rows == SPARE] = NEVER if name == "bias" else 0
    source, target, generator = (weights[OURS[name]] for name in ("source", "target", "generator"))
    tie = (
        "none"
        if not np.array_equal(target, generator)
        else "all"
        if np.array_equal(source, target)
        else "target"
    )
    settings |= {"src_vocab_size": len(source), "tgt_vocab_size": len(target), "tie": tie}
    settings |= {"generator_bias": "bias" in tables} | _settings_of(weights, settings["n_heads"])
    model = Transformer(TransformerConfig(**settings), rng=0).eval()
    model.load_state_dict({name: weights[name] for name in model.state_dict() if name in weights})
    return Translator(model, *(side.vocabulary for side in sides))


def _settings_of(weights: dict[str, np.ndarray], n_heads: int) -> dict:
    """Return the settings that weights under our names show."""
    n_heads = settings_of(TransformerConfig)["n_heads"].checked(n_heads)
    attention, feed_forward = (
        f"encoder.layers.0.{part}.sublayer." for part in ("self_attention", "feed_forward")
    )
    d_query, d_value = (
        weights[f"{attention}{name}.weight"].shape[-1] for name in ("w_query", "w_value")
    )
    if d_query % n_heads or d_value % n_heads:
        raise InputError(
            f"n_heads = {n_heads} does not divide the widths of queries and values, {d_query}, {d_value}"
        )
    ends = [name for name in weights if name.endswith("feed_forward.norm.gain")]
    n_encoder, n_decoder = (sum(name.startswith(stack) for name in ends) for stack in STACKS)
    return {
        "d_model": weights["generator.table"].shape[-1],
        "d_ff": weights[f"{feed_forward}linear_1.weight"].shape[-1],
        "d_k": d_query // n_heads,
        "d_v": d_value // n_heads,
        "n_encoder_layers": n_encoder,
        "n_decoder_layers": n_decoder,
        "final_norm": "encoder.norm.gain" in weights,
        "embedding_norm": "encoder.tokens.norm.gain" in weights,
        "attention_bias": f"{attention}w_query.bias" in weights,
        "dtype": "float64"
        if all(array.dtype == np.float64 for array in weights.values())
        else "float32",
    }
