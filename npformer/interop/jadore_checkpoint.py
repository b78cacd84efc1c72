"""Checkpoints of jadore801120/attention-is-all-you-need-pytorch as files: what is in them, and what must be said."""

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..decoding import Translator
from ..models import Transformer, make_empty_model
from ..text import PAD
from ..text.vocabulary import UNITS
from ..utils import AnyPath, InputError, check_settings, prefix_errors, setting
from ..utils.files import read_bytes
from .jadore import FIRST, SCALES, TABLES, from_jadore
from .readers import read_arrays, read_torch, state_dict_of
from .vocabulary_files import FOLDED, LOWERCASE, ROLES, UNIT, Tokens, tokens_of_side, vocabulary_of_side


@dataclass(frozen=True, kw_only=True)
class JadoreOptions:
    """What such a checkpoint does not hold: the vocabularies; and of weights without settings, what these would say.

    Raises `InputError` on construction when one is out of range.
    """

    source_vocabulary: str | None = setting(None, "file of source tokens, one a line in the order of their ids")
    target_vocabulary: str | None = setting(None, "file of target tokens", none_is="the source's")
    unit: str | None = setting(None, "what a token is", choices=UNITS, none_is=UNIT)
    lowercase: str | None = setting(None, "whose case is folded", choices=FOLDED, none_is=LOWERCASE)
    n_heads: int | None = setting(None, "attention heads", least=1, none_is="n_head of the settings beside the weights")
    scale: str | None = setting(None, "their scale_emb_or_prj", choices=SCALES, none_is="that of the settings")

    def __post_init__(self):
        check_settings(self)


def is_jadore(path: Path) -> bool:
    """Tell whether a path is a file that names their layers; torch.save and safetensors both keep names as they are."""
    return path.is_file() and FIRST in read_bytes(path)


def load_jadore(source: AnyPath, **options) -> Translator:
    """Return the model of a checkpoint that their train.py saved, or of its state dict in a .safetensors file.

    `options` are those of `JadoreOptions`. Sources stand between <bos> and <eos>, as in their training.

    Raises `InputError` when the file is missing, damaged, or of another model, and for an option that is missing.
    """
    said = JadoreOptions(**options)
    sides = {side: tokens_of_side(side, said, "a checkpoint", {}, ROLES) for side in TABLES}
    weights, settings = read_checkpoint(Path(source))
    with prefix_errors(str(source)):
        check_padding(settings, sides)
        n_heads = agreed("n_heads", said.n_heads, settings.get("n_head"))
        scale = agreed("scale", said.scale, settings.get("scale_emb_or_prj"))
        dropout = {"dropout": settings["dropout"]} if "dropout" in settings else {}
        rows = (tokens.rows for tokens in sides.values())
        found, config = from_jadore(weights, *rows, n_heads=n_heads, scale=scale, **dropout)
        model = make_empty_model(Transformer, config)
        model.load_state_dict(found)
    return Translator(model.eval(), *(vocabulary_of_side(side, tokens, said) for side, tokens in sides.items()))


def read_checkpoint(path: Path) -> tuple[dict[str, np.ndarray], dict]:
    """Return the weights of a checkpoint and its settings, {} where there are none."""
    if path.suffix == ".safetensors":
        return read_arrays(path), {}
    content = read_torch(path, allowed=(Namespace,))
    settings = content.get("settings", {}) if isinstance(content, dict) else {}
    settings = vars(settings) if isinstance(settings, Namespace) else settings
    if not isinstance(settings, dict):
        raise InputError(
            f"{path} has settings of the type {type(settings).__name__}: expected their train.py's options"
        )
    if settings and "scale_emb_or_prj" not in settings:
        why = "its settings have no scale_emb_or_prj, so an earlier version of the repository, which computed otherwise"
        raise InputError(f"{path} was saved by another train.py: {why}")
    return state_dict_of(content, path), settings


def agreed(name: str, said, theirs):
    """Return what is said or what their settings say. Raises `InputError` when neither does, or they contradict."""
    option = f"--{name.replace('_', '-')}"
    if said is None and theirs is None:
        raise InputError(f"there are no settings beside the weights: say {option}")
    if None not in (said, theirs) and said != theirs:
        raise InputError(
            f"{option} {said} contradicts the settings beside the weights, which say {theirs}: leave it out"
        )
    return theirs if said is None else said


def check_padding(settings: dict, sides: dict[str, Tokens]) -> None:
    """Raise `InputError` when the settings say another id of the padding than a vocabulary."""
    for side, theirs in (("source", "src_pad_idx"), ("target", "trg_pad_idx")):
        row = int(sides[side].rows[PAD])
        if settings.get(theirs, row) != row:
            came = (
                f"the settings say that {settings[theirs]} is the id of padding, the {side} vocabulary that it is {row}"
            )
            raise InputError(f"{came}: give the vocabulary that the model was trained with")
