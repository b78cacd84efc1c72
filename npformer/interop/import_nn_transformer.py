"""A whole model from the state dict of a PyTorch module that has an nn.Transformer, embeddings and a generator."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..layers.feed_forward import ACTIVATIONS
from ..models import TransformerConfig
from ..tasks import Translator
from ..text import MARKS
from ..utils import AnyPath, InputError, load_tensors, prefix_errors, setting, settings_of
from ..utils.safetensors_io import read_safetensors
from .convert_weights import STACKS, as_floats, build_translator
from .import_vocabulary import VocabularyOptions, read_side
from .nn_transformer_names import from_nn_transformer
from .readers import read_arrays

SCALES = ("1", "sqrt")
FIRST = "encoder.layers.0.norm1.weight"
NEEDED = {
    "eos": ("eos",),
    "both": ("bos", "eos"),
    "none": (),
}  # special tokens of a source, by source_marks
POSITIONS = re.compile(r"(^|[._])(pos|w?pe([._]|$))")
WORDS = {  # what arrays are called, as `npformer export` does or otherwise
    "source_embedding.weight": "src|source|enc",
    "target_embedding.weight": "tgt|trg|target|dec",
    "source_positions.weight": "src|source|enc",
    "target_positions.weight": "tgt|trg|target|dec",
    "generator.weight": "^(?!.*emb).*(generator|out|proj|fc|head|linear|logit|vocab|classif)",
}


@dataclass(frozen=True, kw_only=True)
class StateDictOptions(VocabularyOptions):
    """What a state dict of nn.Transformer does not hold; a file of `npformer export` holds all but the vocabularies."""

    n_heads: int = setting(8, "attention heads; jadore: required, n_head", least=1)
    norm: str = setting("post", "nn.Transformer: pre is norm_first=True", choices=("post", "pre"))
    activation: str = setting("relu", "nn.Transformer: its activation", choices=tuple(ACTIVATIONS))
    layer_norm_eps: float = setting(1e-5, "nn.Transformer: LayerNorm's eps", above=0, below=1)
    embedding_scale: str | None = setting(
        None, "nn.Transformer: factor of embeddings (required)", choices=SCALES
    )
    source_marks: str = setting(
        "eos", "nn.Transformer: tokens around a source; both: bos, eos", choices=tuple(MARKS)
    )


def load_state_dict(source: AnyPath, **options) -> Translator:
    """Return the model whose state dict is in a file, or in the ONNX graphs of a folder; see `from_state_dict`.

    What `npformer export` noted in the file is used where an option is not given.
    """
    arrays, defaults = read_arrays(source), _noted_in(Path(source))
    with prefix_errors(str(source)):
        return from_state_dict(arrays, defaults=defaults, **options)


def _noted_in(path: Path) -> dict:
    """Return the options, and settings of the config, that `npformer export` noted in a .safetensors file."""
    if path.suffix != ".safetensors" or "note" not in read_safetensors(path)[1]:
        return {}
    note = load_tensors(path)[1]
    if "transformer" not in note:  # as in a run folder
        return {}
    built = note["transformer"]
    return {
        "n_heads": built["nhead"],
        "norm": "pre" if built["norm_first"] else "post",
        "embedding_scale": "sqrt",
        "positions": note.get("positions", "learned"),
        "source_marks": note["source_marks"],
        "pad_id": note["ids"]["pad"],
        "start_id": note["ids"]["start"],
        **{name: built[name] for name in ("activation", "layer_norm_eps", "dropout")},
    }


def from_state_dict(
    arrays: dict[str, np.ndarray], *, defaults: dict | None = None, **options
) -> Translator:
    """Return the model of a module's state dict: an nn.Transformer between embeddings and generator.

    `options` are those of `StateDictOptions`; `defaults` has values of those that are not given. Arrays are recognized
    by name and shape, and certainly by the names that `npformer export` writes. Special tokens get our ids, so rows of
    the embedding matrices move. Where embeddings are not multiplied by sqrt(d_model), the matrices are divided by it,
    and then none is shared.

    Raises `InputError` when an array is missing, too many, or of a wrong shape, when it is not plain what it is, and
    for an option that is missing or out of range.
    """
    how = vars(StateDictOptions(**options)) | (defaults or {}) | options
    if how["embedding_scale"] is None:
        raise InputError(
            "what are embeddings multiplied by? Give --embedding-scale sqrt, of d_model, or 1"
        )
    sides = (
        read_side("source", how, NEEDED[how["source_marks"]]),
        read_side("target", how, ("bos", "eos")),
    )
    arrays = as_floats(dict(sorted(arrays.items())))  # files have them in any order
    prefixes = [name.removesuffix(FIRST) for name in arrays if name.endswith(FIRST)]
    if len(prefixes) != 1:
        raise InputError(
            f"expected one nn.Transformer, with a prefix before {FIRST}: there are {prefixes}"
        )
    prefix, d_model = prefixes[0], arrays[prefixes[0] + FIRST].size
    stacks = tuple(f"{prefix}{stack}.{part}." for stack in STACKS for part in ("layers", "norm"))
    rest = {name: array for name, array in arrays.items() if not name.startswith(stacks)}
    places = _find_positions(rest, d_model)
    tables = _find_tables(rest, places, [(int(side.rows.max()) + 1, d_model) for side in sides])
    used = {*places, *tables.values()}
    weights = from_nn_transformer(
        {n.removeprefix(prefix): a for n, a in arrays.items() if n not in used}
    )

    positions = [
        arrays[name].reshape(-1, d_model) for name in places
    ]  # without an axis of 1 for the batch
    if len({len(array) for array in positions}) > 1:
        raise InputError(
            f"{' and '.join(places)} have different lengths, {len(positions[0])} and {len(positions[1])}"
        )
    weights |= {
        f"{stack}.tokens.positions.table": array
        for stack, array in zip(STACKS, positions, strict=False)
    }
    settings = (
        {"positions": "learned", "max_len": len(positions[0])}
        if places
        else {"positions": "sinusoidal"}
    )
    settings |= {
        name: value for name, value in how.items() if name in settings_of(TransformerConfig)
    }

    tables = {role: arrays[name] for role, name in tables.items()}
    if how["embedding_scale"] == "1":
        tables |= {side: tables[side] / math.sqrt(d_model) for side in ("source", "target")}
    return build_translator(weights, tables, sides, **settings)


def _find_positions(rest: dict[str, np.ndarray], d_model: int) -> list[str]:
    """Return the names of the positions of source and target, which may be one; or none where there are none."""
    names = [
        name
        for name, a in rest.items()
        if POSITIONS.search(name.lower()) and a.shape[-1:] == (d_model,)
    ]
    return [
        _choose(names, f"{side}_positions.weight", rest) for side in ("source", "target") if names
    ]


def _find_tables(
    rest: dict[str, np.ndarray], places: list[str], shapes: list[tuple[int, int]]
) -> dict[str, str]:
    """Return the names of the embedding matrices, of the generator's matrix and, if there is one, of its bias."""
    source, target = (
        [n for n in rest if rest[n].shape == shape and n not in places] for shape in shapes
    )
    biased = [name for name in target if name.removesuffix("weight") + "bias" in rest]
    called = biased or [
        name for name in target if re.search(WORDS["generator.weight"], name.lower())
    ]
    generator = _choose(called, "generator.weight", rest) if called else None
    names = {}
    for side, fitting in (("source", source), ("target", target)):
        names[side] = _choose(
            [n for n in fitting if n != generator] or fitting, f"{side}_embedding.weight", rest
        )
    names["generator"] = generator or names["target"]
    bias = names["generator"].removesuffix("weight") + "bias"
    return names | ({"bias": bias} if bias in rest else {})


def _choose(names: list[str], role: str, rest: dict[str, np.ndarray]) -> str:
    """Return the name of the array with a role: the only one, the one called so, or the only one with such a name."""
    called = [name for name in names if re.search(WORDS[role], name.lower())]
    for candidates in (names, [name for name in names if name == role], called):
        if len(candidates) == 1:
            return candidates[0]
    there = ", ".join(f"{name} {rest[name].shape}" for name in names or rest) or "none"
    raise InputError(
        f"which array is {role}? There is {there}: call one so in Python (from_state_dict)"
    )
