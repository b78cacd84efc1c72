"""The note of `npformer export`, which answers most options of an import."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..utils import InputError, import_optional, load_tensors
from .options import StateDictOptions
from .vocabulary_files import Tokens

DEFAULTS = {"n_heads": 8, "norm": "post", "activation": "relu", "layer_norm_eps": 1e-5, "source_marks": "eos"}
IDS = {"pad": "pad_id", "start": "start_id"}


def note_in(path: Path) -> dict:
    """Return the note of a .safetensors file that `npformer export` wrote; {} where there is none.

    Raises `InputError` where the file is not what was written with the note.
    """
    if path.suffix != ".safetensors":
        return {}
    safetensors = import_optional("safetensors", "npformer")
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            note = json.loads((file.metadata() or {}).get("note", "").partition(" ")[2])
    except (safetensors.SafetensorError, OSError, ValueError):
        return {}  # damage raises where the arrays are read
    ours = isinstance(note, dict) and isinstance(note.get("transformer"), dict)
    return load_tensors(path)[1] if ours else {}


def _options_of(note: dict) -> dict:
    """Return the options that a note answers.

    >>> note = {"transformer": {"d_model": 16, "nhead": 2, "norm_first": True}, "embedding_scale": 4.0}
    >>> _options_of(note)
    {'n_heads': 2, 'norm': 'pre', 'embedding_scale': 'sqrt'}
    """
    built, scale = note.get("transformer", {}), note.get("embedding_scale")
    found = {
        "n_heads": built.get("nhead"),
        "norm": {True: "pre", False: "post"}.get(built.get("norm_first")),
        "activation": built.get("activation"),
        "layer_norm_eps": built.get("layer_norm_eps"),
        "source_marks": note.get("source_marks"),
        "embedding_scale": {1: "1", math.sqrt(built.get("d_model", 0)): "sqrt"}.get(scale),
    }
    return {name: value for name, value in found.items() if value is not None}


def completed(opts: StateDictOptions, note: dict) -> StateDictOptions:
    """Return the options with what a note says in place of those that were not opts, or else the defaults.

    Raises `InputError` where a given one contradicts the note.
    """
    noted = _options_of(note)
    for name, value in noted.items():
        if (given := getattr(opts, name)) not in (None, value):
            came = f"--{name.replace('_', '-')} {given} contradicts the note that npformer export left in the file"
            raise InputError(f"{came}, which says {value}: leave it out")
    known = {name: value for name, value in (DEFAULTS | noted).items() if getattr(opts, name) is None}
    return replace(opts, **known)


def settings_of_note(note: dict, target: Tokens) -> dict:
    """Return the settings that a note alone tells: the dropout, and which token pads and which starts a target."""
    found = {"dropout": note["transformer"]["dropout"]} if "dropout" in note.get("transformer", {}) else {}
    for role, name in IDS.items():
        places = np.flatnonzero(target.rows == note.get("ids", {}).get(role))
        found |= {name: int(places[0])} if len(places) else {}
    return found
