"""A whole model out of the state dict of a PyTorch module that has an nn.Transformer, embeddings and a generator."""

import math
from pathlib import Path

import numpy as np

from ..decoding import Translator
from ..models import Transformer, TransformerConfig
from ..utils import AnyPath, InputError, prefix_errors
from .extra_arrays import ExtraArrays, find_extra_arrays, prefix_of
from .metadata import DEFAULTS, completed, note_in, settings_of_note
from .name_mapping import as_table, check_weights, kind_of_positions, tie_of
from .nn_transformer import from_nn_transformer
from .options import StateDictOptions
from .readers import read_arrays
from .stacks import check_columns, columns_of, settings_of_columns, with_biases
from .vocabulary_files import NEVER, ROLES, Tokens, permute, tokens_of_side, vocabulary_of_side

SIDES = ("source", "target")


def load_state_dict(source: AnyPath, **options) -> Translator:
    """Return the model whose state dict is in a file, or in the ONNX graphs of a folder; see `from_state_dict`."""
    opts, note = StateDictOptions(**options), note_in(Path(source))
    with prefix_errors(str(source)):
        opts = completed(opts, note)
    return model_of(read_arrays(source), opts, note, str(source))


def from_state_dict(arrays: dict[str, np.ndarray], *, whose: str = "the state dict", **options) -> Translator:
    """Return the model of a module's state dict: an nn.Transformer between embeddings and generator.

    `options` are those of `StateDictOptions`. Arrays are recognized by name and shape, where that is plain.
    Special tokens get our ids, so rows of the tables move. Where embeddings are not multiplied by sqrt(d_model), the
    tables are divided by it, and then none is shared.

    Raises `InputError` when an array is missing, too many, or of a wrong shape, when it is not plain what it is, and
    for an option that is missing or out of range.
    """
    return model_of(arrays, completed(StateDictOptions(**options), {}), {}, whose)


def model_of(arrays: dict[str, np.ndarray], opts: StateDictOptions, note: dict, whose: str) -> Translator:
    """Return the model of a module's state dict, with complete options and the note of npformer export."""
    sides = {side: _read_side(side, opts) for side in SIDES}
    with prefix_errors(whose):
        arrays = _select_arrays(arrays, opts.ignore)
        prefix = prefix_of(arrays)
        columns, rest = columns_of(arrays, prefix)
        settings, columns = settings_of_columns(columns, prefix), with_biases(columns)
        sizes = {side: n_tokens(tokens) for side, tokens in sides.items()}
        extra = find_extra_arrays(rest, settings["d_model"], sizes, vars(opts))
        _check_all_used(rest, extra)
        weights, more = _weights_of_extra(rest, extra, sides, opts)
        settings |= {name: getattr(opts, name) for name in DEFAULTS} | settings_of_note(note, sides["target"])
        config = TransformerConfig(**settings, **more)
        model = Transformer(config, rng=0).eval()
        check_columns(columns, model, prefix)
        weights |= from_nn_transformer(columns)
        model.load_state_dict({name: weights[name] for name in model.state_dict()})
    return Translator(model, *(vocabulary_of_side(side, tokens, opts) for side, tokens in sides.items()))


def _read_side(side: str, opts: StateDictOptions) -> Tokens:
    """Read the tokens of a side: of a source those are needed that stand around it, of a target both ends."""
    both = ("bos", "eos")
    needed = {"eos": ("eos",), "none": ()}.get(opts.source_marks, both) if side == "source" else both
    return tokens_of_side(side, opts, "a state dict", {role: getattr(opts, role) for role in ROLES}, needed)


def n_tokens(tokens: Tokens) -> int:
    """Return how many tokens they have."""
    return len(np.unique(tokens.rows[tokens.rows >= 0]))


def _select_arrays(arrays: dict[str, np.ndarray], ignore: str | None) -> dict[str, np.ndarray]:
    """Leave out what is to be ignored, and make halves of floats whole.

    Raises `InputError` where an array is missing, or does not hold finite floats.
    """
    for ignored in ignore.split(",") if ignore else ():
        left = {name for name in arrays if name == ignored or (ignored.endswith(".") and name.startswith(ignored))}
        if not left:
            raise InputError(f"--ignore {ignored}: there is no such array")
        arrays = {name: array for name, array in arrays.items() if name not in left}
    arrays = dict(sorted(arrays.items()))  # files have them in any order
    arrays = {name: a.astype(np.float32) if a.dtype == np.float16 else a for name, a in arrays.items()}
    check_weights(arrays)
    return arrays


def _check_all_used(rest: dict[str, np.ndarray], extra: ExtraArrays) -> None:
    """Raise `InputError` where an array has no place."""
    used = {extra.source, extra.target, extra.generator, extra.bias, *(extra.positions or ())}
    if left := sorted(rest.keys() - used):
        came = ", ".join(f"{name} {rest[name].shape}" for name in left[:4]) + (", ..." if len(left) > 4 else "")
        raise InputError(f"no place is known for {came}: if it does not matter, say --ignore {','.join(left)}")


def _weights_of_extra(
    rest: dict[str, np.ndarray], extra: ExtraArrays, sides: dict[str, Tokens], opts: StateDictOptions
) -> tuple[dict[str, np.ndarray], dict]:
    """Return the weights outside of the columns under our names, and the settings that follow from them."""
    if opts.embedding_scale is None:
        raise InputError("what are embeddings multiplied with? Say --embedding-scale sqrt, of d_model, or 1")
    source, target = sides["source"], sides["target"]
    src, tgt = permute(rest[extra.source], source.rows), permute(rest[extra.target], target.rows)
    generator = permute(rest[extra.generator], target.rows)
    divisor = math.sqrt(src.shape[1]) if opts.embedding_scale == "1" else 1
    weights = {
        "encoder.tokens.embedding.table": src / divisor,
        "decoder.tokens.embedding.table": tgt / divisor,
        "generator.table": generator,
    }
    bias = rest[extra.bias] if extra.bias else np.zeros(len(rest[extra.generator]), generator.dtype)
    weights["generator.bias"] = permute(bias, target.rows)
    weights["generator.bias"][target.unwritten] = NEVER
    settings = {
        "src_vocab_size": len(source.tokens),
        "tgt_vocab_size": len(target.tokens),
        "tie": tie_of(src / divisor, tgt / divisor, generator),
        "generator_bias": extra.bias is not None or bool(target.unwritten.any()),
        "dtype": "float64" if all(array.dtype == np.float64 for array in rest.values()) else "float32",
    }
    positions, more = _positions_of(rest, extra, opts)
    return weights | positions, settings | more


def _positions_of(rest: dict[str, np.ndarray], extra: ExtraArrays, opts: StateDictOptions) -> tuple[dict, dict]:
    """Return the learned positions under our names, and the kind of positions and how many there are."""
    if extra.positions is None:
        if opts.positions is None:
            raise InputError("there is no table of positions: say --positions sinusoidal, or sinusoidal_halves")
        if opts.positions == "learned":
            raise InputError("there is no table of positions to be --positions learned: say --source-positions NAME")
        return {}, {"positions": opts.positions, "max_len": opts.max_len or 512}
    found = [as_table(rest[name], rest[extra.source].shape[1]) for name in extra.positions]
    kinds = [kind_of_positions(table) for table in found]
    kind = opts.positions or (kinds[0] if len(set(kinds)) == 1 else "learned")
    for name, shown in zip(extra.positions, kinds, strict=True):
        if kind not in (shown, "learned"):
            what = f"--positions {kind} contradicts {name}, which shows {shown}"
            raise InputError(f"{what}: leave one out, the array with --ignore {name}")
    longest = min(map(len, found))
    if opts.max_len and opts.max_len > longest and kind == "learned":
        raise InputError(f"--max-len {opts.max_len}: there are {longest} learned positions")
    max_len = opts.max_len or longest
    names = [f"{column}.tokens.positions.table" for column in ("encoder", "decoder")]
    weights = {name: table[:max_len] for name, table in zip(names, found, strict=True)} if kind == "learned" else {}
    return weights, {"positions": kind, "max_len": max_len}
