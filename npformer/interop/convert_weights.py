"""Another program's weights under our names, and the Translator that they make."""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from ..models import Transformer, TransformerConfig
from ..tasks import Translator
from ..text import BaseVocabulary
from ..utils import InputError

# stack, part of a layer, then their prefix of a Linear or norm: our names
Table = dict[str, dict[str, dict[str, str]]]
STACKS = ("encoder", "decoder")
OURS = {
    "source": "encoder.input_embedding.embedding.table",
    "target": "decoder.input_embedding.embedding.table",
    "generator": "generator.table",
    "bias": "generator.bias",
}
CALLED = {  # in messages
    "source": "the source embedding matrix",
    "target": "the target embedding matrix",
    "generator": "the matrix of the output projection",
    "bias": "the bias of the output projection",
}
SPARE = -1  # in the place of a row that their embedding matrix does not have
NEVER = -1e9  # a bias with which softmax gives a token 0, while its logarithm is still a number


class Side(NamedTuple):
    """The vocabulary of the source or the target.

    Arguments:
        vocabulary: The vocabulary, with our special tokens first.
        rows: The row (V,) of each token in their embedding matrix, SPARE where they do not have it.
        path: The file with the tokens.
    """

    vocabulary: BaseVocabulary
    rows: np.ndarray
    path: str

    @property
    def n_tokens(self) -> int:
        """The number of tokens in the file."""
        return int(self.rows.max()) + 1

    def mismatch(self, n_rows: dict[str, int]) -> InputError:
        """Return the error of arrays with another number of rows, by their names."""
        counts = ", ".join(f"{name} has {n} rows" for name, n in n_rows.items())
        return InputError(
            f"{self.path} has {self.n_tokens} tokens, {counts}: "
            "give the vocabulary that the model was trained with"
        )


def as_floats(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return arrays of floats, those in half precision as float32.

    Raises `InputError` for other types, NaN and infinity.
    """
    floats = {}
    for name, array in arrays.items():
        if array.dtype.kind != "f" or array.ndim == 0:
            raise InputError(
                f"{name} has the type {array.dtype} and the shape {array.shape}: expected floats"
            )
        if not np.isfinite(array).all():
            raise InputError(
                f"{name} contains NaN or infinity: the file is damaged, or the training diverged"
            )
        # a model of ours has no half precision
        is_half = array.dtype == np.float16
        floats[name] = array.astype(np.float32) if is_half else array
    return floats


def layer_names(table: Table, weights: Collection[str], stem: str) -> dict[str, list[str]]:
    r"""Return our names of each of their arrays in the layers.

    There are several where they stack matrices in one array. Where the table has the name of a
    weight, there is no bias.

    Arguments:
        table: Their names and ours.
        weights: The names, theirs or ours, of as many layers as there are.
        stem: The beginning of their name of a layer, with a place for the name of the stack.

    >>> table = {"encoder": {"self_attention": {"qkv.weight": "sublayer.w_query sublayer.w_key"}}}
    >>> for theirs, ours in layer_names(table, ["enc.0.qkv.weight"], "enc.").items():
    ...     print(theirs, *ours, sep="\n")
    enc.0.qkv.weight
    encoder.layers.0.self_attention.sublayer.w_query.weight
    encoder.layers.0.self_attention.sublayer.w_key.weight
    """
    names = {}
    for stack, parts in table.items():
        start = stem.format(stack)
        for i in range(_count_layers(weights, start, f"{stack}.layers.")):
            for part, prefixes in parts.items():
                for theirs, ours in prefixes.items():
                    own = [f"{stack}.layers.{i}.{part}.{name}" for name in ours.split()]
                    names.update(weight_and_bias(f"{start}{i}.{theirs}", own))
    return names


def _count_layers(weights: Collection[str], their_start: str, our_start: str) -> int:
    """Return how many layers have weights, by names that begin in either way."""
    layers = set()
    for name in weights:
        for start in (their_start, our_start):
            if name.startswith(start):
                layers.add(name.removeprefix(start).split(".")[0])
    if not layers:
        raise InputError(
            f"these weights lack {their_start}0: expected the layers of a model of this kind"
        )
    return len(layers)


def weight_and_bias(theirs: str, ours: list[str]) -> dict[str, list[str]]:
    """Return our names of a weight and its bias, or of a weight alone.

    The weight of a norm is our gain.

    Arguments:
        theirs: Their prefix of both, or their name of a weight.
        ours: Our prefixes.
    """
    weights = []
    biases = []
    for name in ours:
        weights.append(f"{name}.gain" if name.endswith("norm") else f"{name}.weight")
        biases.append(f"{name}.bias")
    if theirs.endswith("weight"):
        return {theirs: weights}
    return {f"{theirs}weight": weights, f"{theirs}bias": biases}


def take(weights: dict[str, np.ndarray], *names: str) -> np.ndarray:
    """Remove an array that may have any of some names, or all of them, and return it.

    Raises `InputError` when it has none of them, or when arrays of these names differ.
    """
    found = [name for name in names if name in weights]
    arrays = [weights.pop(name) for name in found]
    for name, array in zip(found, arrays, strict=True):
        if not np.array_equal(array, arrays[0]):
            raise InputError(
                f"{found[0]} and {name} differ: expected one matrix, which the settings say is "
                "shared. Save the model again, with settings that fit it"
            )
    if not arrays:
        raise InputError(
            f"these weights lack {names[0]}: the file is of another kind, "
            "or a part of it is missing"
        )
    return arrays[0]


def take_layers(
    weights: dict[str, np.ndarray], names: dict[str, list[str]]
) -> dict[str, np.ndarray]:
    """Return all arrays under our names: their matrices are (out, in), ours (in, out).

    Raises `InputError` where an array is missing, cannot be split, or has no name of ours.

    Arguments:
        weights: Their arrays by their names.
        names: Our names of each array.
    """
    layers = {}
    left = dict(weights)
    for theirs, ours in names.items():
        array = take(left, theirs)
        if array.ndim not in (1, 2) or len(array) % len(ours):
            raise InputError(
                f"{theirs} has the shape {array.shape}: "
                f"expected {len(ours)} matrices or vectors, stacked"
            )
        # PyTorch stacks query, key and value along the first axis
        for own, part in zip(ours, np.split(array, len(ours)), strict=True):
            layers[own] = part.T
    if left:
        unknown = [f"{name} {array.shape}" for name, array in sorted(left.items())]
        raise InputError(
            f"unexpected arrays {', '.join(unknown[:4])}: remove those that are not needed"
        )
    return layers


def build_translator(
    weights: dict[str, np.ndarray],
    tables: dict[str, np.ndarray],
    sides: tuple[Side, Side],
    **settings: Any,
) -> Translator:
    """Return the Translator of weights.

    Raises `InputError` where something does not fit.

    Arguments:
        weights: The weights under our names, without embedding matrices.
        tables: The embedding matrices of "source" and "target", to be multiplied by sqrt(d_model),
            that of the "generator", and its "bias" if there is one, with rows in their order.
        sides: The source's and the target's vocabulary.
        settings: Those of the config that weights do not show.
    """
    source_side, target_side = sides
    tables = dict(tables)
    # a token of ours that they do not have must never be predicted: a bias sees to that
    if SPARE in target_side.rows and "bias" not in tables:
        tables["bias"] = np.zeros_like(tables["generator"][:, 0])
    for name, table in tables.items():
        side = source_side if name == "source" else target_side
        weights[OURS[name]] = _reorder(name, table, side)

    source = weights[OURS["source"]]
    target = weights[OURS["target"]]
    config = TransformerConfig(
        **settings,
        **_settings_of(weights, settings["n_heads"]),
        src_vocab_size=len(source),
        tgt_vocab_size=len(target),
        tie_embeddings=_tie_of(source, target, weights[OURS["generator"]]),
        generator_bias="bias" in tables,
    )
    # the seed does not matter, because every weight is replaced
    model = Transformer(config, rng=0).eval()
    # a matrix that is shared has one name there, and three in weights
    state = {}
    for name in model.state_dict():
        if name in weights:
            state[name] = weights[name]
    model.load_state_dict(state)
    return Translator(model, source_side.vocabulary, target_side.vocabulary)


def _reorder(name: str, table: np.ndarray, side: Side) -> np.ndarray:
    """Return the rows of a table in the order of our vocabulary.

    A token that they do not have gets zeros, and a bias with which it is never predicted.
    """
    if len(table) != side.n_tokens:
        raise side.mismatch({CALLED[name]: len(table)})
    # SPARE is -1, so that it takes the last row, which is then replaced
    reordered = table[side.rows]
    reordered[side.rows == SPARE] = NEVER if name == "bias" else 0
    return reordered


def _tie_of(source: np.ndarray, target: np.ndarray, generator: np.ndarray) -> str:
    """Return which of the three matrices are one: the setting `tie_embeddings`."""
    if not np.array_equal(target, generator):
        return "none"
    return "all" if np.array_equal(source, target) else "target"


def _settings_of(weights: dict[str, np.ndarray], n_heads: int) -> dict[str, Any]:
    """Return the settings that weights under our names show."""
    n_heads = TransformerConfig.declared()["n_heads"].checked(n_heads)
    attention = "encoder.layers.0.self_attention.sublayer."
    # an attention's width may differ from d_model
    d_query = weights[f"{attention}w_query.weight"].shape[-1]
    d_value = weights[f"{attention}w_value.weight"].shape[-1]
    if d_query % n_heads or d_value % n_heads:
        raise InputError(
            f"n_heads = {n_heads} does not divide the widths of queries and values, "
            f"{d_query}, {d_value}"
        )

    # every layer of either stack has one feed-forward network
    n_layers = dict.fromkeys(STACKS, 0)
    for name in weights:
        if name.endswith("feed_forward.norm.gain"):
            stack, _, _ = name.partition(".")
            n_layers[stack] += 1
    first_linear = weights["encoder.layers.0.feed_forward.sublayer.linear_1.weight"]
    return {
        "d_model": weights["generator.table"].shape[-1],
        "d_ff": first_linear.shape[-1],
        "d_k": d_query // n_heads,
        "d_v": d_value // n_heads,
        "n_encoder_layers": n_layers["encoder"],
        "n_decoder_layers": n_layers["decoder"],
        "final_norm": "encoder.norm.gain" in weights,
        "embedding_norm": "encoder.input_embedding.norm.gain" in weights,
        "attention_bias": f"{attention}w_query.bias" in weights,
        "dtype": dtype_of(weights),
    }


def dtype_of(weights: dict[str, np.ndarray]) -> str:
    """Return the type of a model with these weights: float64 where all of them have it."""
    are_double = all(array.dtype == np.float64 for array in weights.values())
    return "float64" if are_double else "float32"
