"""A whole model from the state dict of a PyTorch module that has an nn.Transformer.

Around it are embeddings, positions and a generator, whose arrays have names of their own.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..models import TransformerConfig
from ..models.config import ACTIVATIONS
from ..tasks import Translator
from ..text import SPECIAL_TOKEN_AFFIXES
from ..utils import InputError, prefix_errors, setting
from .convert_weights import STACKS, Side, as_floats, build_translator
from .import_options import VocabularyOptions
from .import_vocabulary import read_side
from .nn_transformer_names import from_nn_transformer
from .readers import WeightsFile

SCALES = ("1", "sqrt")
FIRST = "encoder.layers.0.norm1.weight"
NEEDED = {  # special tokens of a source, by source_special_tokens
    "eos": ("eos",),
    "both": ("bos", "eos"),
    "none": (),
}
# a part of a name that begins with pos, or is pe or wpe as in GPT-2
POSITIONS = re.compile(r"(^|[._])(pos|w?pe([._]|$))")
# What arrays are called, as `npformer export` does or otherwise. A generator may be called
# "output", but an "output_embedding" is not one.
WORDS = {
    "source_embedding.weight": "src|source|enc",
    "target_embedding.weight": "tgt|trg|target|dec",
    "source_positions.weight": "src|source|enc",
    "target_positions.weight": "tgt|trg|target|dec",
    "generator.weight": "^(?!.*emb).*(generator|out|proj|fc|head|linear|logit|vocab|classif)",
}


@dataclass(frozen=True, kw_only=True)
class StateDictOptions(VocabularyOptions):
    """What a state dict of nn.Transformer does not hold.

    A file of `npformer export` holds all but the vocabularies.
    """

    n_heads: int = setting(8, "attention heads; jadore: required, n_head", least=1)
    norm: str = setting("post", "nn.Transformer: pre is norm_first=True", choices=("post", "pre"))
    activation: str = setting("relu", "nn.Transformer: its activation", choices=ACTIVATIONS)
    layer_norm_eps: float = setting(1e-5, "nn.Transformer: LayerNorm's eps", above=0, below=1)
    embedding_scale: str | None = setting(
        None, "nn.Transformer: factor of embeddings (required)", choices=SCALES
    )
    source_special_tokens: str = setting(
        "eos",
        "nn.Transformer: tokens around a source; both: bos, eos",
        choices=tuple(SPECIAL_TOKEN_AFFIXES),
    )


def load_state_dict(file: WeightsFile, **options: Any) -> Translator:
    """Return the model whose state dict is in a file; see `from_state_dict`.

    What `npformer export` noted in the file is used where an option is not given.

    Arguments:
        file: The file, or a folder with ONNX graphs.
        options: Those of `StateDictOptions`.
    """
    with prefix_errors(str(file.path)):
        return from_state_dict(file.arrays, defaults=_noted_in(file), **options)


def _noted_in(file: WeightsFile) -> dict[str, Any]:
    """Return the settings that `npformer export` noted: options, and settings of the config."""
    note = file.note
    # the weights of a run folder have another note
    if note is None or "transformer" not in note:
        return {}
    built = note["transformer"]
    return {
        "n_heads": built["nhead"],
        "norm": "pre" if built["norm_first"] else "post",
        "activation": built["activation"],
        "layer_norm_eps": built["layer_norm_eps"],
        "dropout": built["dropout"],
        "embedding_scale": "sqrt",
        "positions": note.get("positions", "learned"),
        "source_special_tokens": note["source_special_tokens"],
        "pad_id": note["ids"]["pad"],
        "start_id": note["ids"]["start"],
    }


def from_state_dict(
    arrays: dict[str, np.ndarray], *, defaults: dict[str, Any] | None = None, **options: Any
) -> Translator:
    """Return the model of a state dict: an nn.Transformer between embeddings and generator.

    Arrays are recognized by name and shape, and certainly by the names that `npformer export`
    writes. Special tokens get our ids, so rows of the embedding matrices move. Where embeddings are
    not multiplied by sqrt(d_model), the matrices are divided by it, and then none is shared.

    Raises `InputError` when an array is missing, not needed, of a wrong shape or ambiguous, and
    when an option is missing or out of range.

    Arguments:
        arrays: The state dict, as NumPy arrays.
        defaults: Values of options that are not given, and settings of the config.
        options: Those of `StateDictOptions`.
    """
    given = StateDictOptions(**options)
    # an option that is given comes first, then the note of the file, then the default
    known = {**vars(given), **(defaults or {}), **options}
    if known["embedding_scale"] is None:
        raise InputError(
            "embedding_scale is missing: give sqrt if embeddings are multiplied by sqrt(d_model), "
            "else 1"
        )
    source_side = read_side("source", given, NEEDED[known["source_special_tokens"]])
    target_side = read_side("target", given, ("bos", "eos"))
    sides = (source_side, target_side)

    arrays = as_floats(dict(sorted(arrays.items())))  # files have them in any order
    prefix = _prefix_of(arrays)
    d_model = arrays[prefix + FIRST].size
    rest = _outside_of_stacks(arrays, prefix)
    position_names = _find_positions(rest, d_model)
    table_names = _find_tables(rest, position_names, d_model, sides)

    used = {*position_names, *table_names.values()}
    theirs = {}
    for name, array in arrays.items():
        if name not in used:
            theirs[name.removeprefix(prefix)] = array
    weights = from_nn_transformer(theirs)

    settings = _add_positions(weights, arrays, position_names, d_model)
    for name, value in known.items():
        if name in TransformerConfig.declared():
            settings[name] = value

    tables = {role: arrays[name] for role, name in table_names.items()}
    # our model multiplies by sqrt(d_model): where theirs does not, that is undone here
    if known["embedding_scale"] == "1":
        tables["source"] = tables["source"] / math.sqrt(d_model)
        tables["target"] = tables["target"] / math.sqrt(d_model)
    return build_translator(weights, tables, sides, **settings)


def _prefix_of(arrays: dict[str, np.ndarray]) -> str:
    """Return what the names of the nn.Transformer begin with."""
    prefixes = [name.removesuffix(FIRST) for name in arrays if name.endswith(FIRST)]
    if len(prefixes) != 1:
        raise InputError(
            f"expected one nn.Transformer, with a prefix before {FIRST}: there are {prefixes}"
        )
    return prefixes[0]


def _outside_of_stacks(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """Return the arrays that are not those of the nn.Transformer."""
    inside: tuple[str, ...] = ()
    for stack in STACKS:
        inside += (f"{prefix}{stack}.layers.", f"{prefix}{stack}.norm.")
    return {name: array for name, array in arrays.items() if not name.startswith(inside)}


def _add_positions(
    weights: dict[str, np.ndarray],
    arrays: dict[str, np.ndarray],
    names: Sequence[str],
    d_model: int,
) -> dict[str, Any]:
    """Add the learned positions of both stacks to the weights; return settings of the config."""
    if not names:
        return {"positions": "sinusoidal"}
    # reshaped because some have an axis of 1 for the batch
    source = arrays[names[0]].reshape(-1, d_model)
    target = arrays[names[1]].reshape(-1, d_model)
    if len(source) != len(target):
        raise InputError(
            f"{' and '.join(names)} have different lengths, {len(source)} and {len(target)}"
        )
    weights["encoder.input_embedding.positions.table"] = source
    weights["decoder.input_embedding.positions.table"] = target
    return {"positions": "learned", "max_len": len(source)}


def _find_positions(rest: dict[str, np.ndarray], d_model: int) -> list[str]:
    """Return the names of the positions of source and target, which may be one array.

    The list is empty where there are none.
    """
    names = []
    for name, array in rest.items():
        if POSITIONS.search(name.lower()) and array.shape[-1:] == (d_model,):
            names.append(name)
    if not names:
        return []
    return [
        _choose(names, "source_positions.weight", rest),
        _choose(names, "target_positions.weight", rest),
    ]


def _find_tables(
    rest: dict[str, np.ndarray],
    positions: Sequence[str],
    d_model: int,
    sides: tuple[Side, Side],
) -> dict[str, str]:
    """Return the names of the embedding matrices and of the generator.

    These are "source", "target" and "generator", and "bias" if the generator has one.

    Arguments:
        rest: The arrays outside of the nn.Transformer.
        positions: The names of positions, which are none of them.
        d_model: Their number of columns.
        sides: The vocabularies of source and target: a row is a token.
    """
    matrices = {}
    for name, array in rest.items():
        if name not in positions and array.ndim == 2 and array.shape[1] == d_model:
            matrices[name] = array
    source = _with_row_per_token(matrices, "source_embedding.weight", sides[0])
    target = _with_row_per_token(matrices, "target_embedding.weight", sides[1])

    # a table with a bias of its own is the generator, however it is called
    biased = [name for name in target if _bias_of(name) in rest]
    candidates = biased or _names_like("generator.weight", target)
    generator = _choose(candidates, "generator.weight", rest) if candidates else None

    names = {}
    for side, fitting in (("source", source), ("target", target)):
        # where embeddings and generator share a matrix it is the only one that fits
        others = [name for name in fitting if name != generator]
        names[side] = _choose(others or fitting, f"{side}_embedding.weight", rest)
    names["generator"] = generator or names["target"]
    bias = _bias_of(names["generator"])
    if bias in rest:
        names["bias"] = bias
    return names


def _with_row_per_token(matrices: dict[str, np.ndarray], role: str, side: Side) -> list[str]:
    """Return the names of the matrices that have a row for each token of a side.

    Raises `InputError` where there are matrices but none has, or not the one that is called as its
    role.
    """
    fitting = [name for name, matrix in matrices.items() if len(matrix) == side.n_tokens]
    others = []
    if role in matrices and role not in fitting:
        others = [role]
    elif not fitting:
        others = _names_like(role, list(matrices)) or list(matrices)
    if others:
        raise side.mismatch({name: len(matrices[name]) for name in others})
    return fitting


def _bias_of(weight: str) -> str:
    """Return the name of the bias that goes with a weight."""
    return weight.removesuffix("weight") + "bias"


def _names_like(role: str, names: Sequence[str]) -> list[str]:
    """Return the names that have a word of a role."""
    return [name for name in names if re.search(WORDS[role], name.lower())]


def _choose(names: Sequence[str], role: str, rest: dict[str, np.ndarray]) -> str:
    """Return the name of the array with a role.

    It is the only one, the one with exactly this name, or the only one with such a name.
    """
    if len(names) == 1:
        return names[0]
    if role in names:
        return role
    similar = _names_like(role, names)
    if len(similar) == 1:
        return similar[0]

    found = ", ".join(f"{name} {rest[name].shape}" for name in names or rest) or "none"
    raise InputError(
        f"which array is {role}? There is {found}: call one so in Python (from_state_dict)"
    )
