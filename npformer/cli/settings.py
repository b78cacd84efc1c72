"""The settings of a training: presets, defaults by data set, and their options on the command line."""

from __future__ import annotations

import argparse
import math

from ..datasets import corpus
from ..errors import InputError
from ..model import TransformerConfig
from ..run_folder import RunFolder

FILES = ("src", "tgt", "valid_src", "valid_tgt")

MODEL_OPTIONS = {
    "d_model": (int, "width of every layer"),
    "d_ff": (int, "width inside the feed-forward network"),
    "n_heads": (int, "attention heads"),
    "d_k": (int, "width of a head's queries and keys (default d_model / n_heads)"),
    "d_v": (int, "width of a head's values (default d_model / n_heads)"),
    "n_encoder_layers": (int, "encoder layers"),
    "n_decoder_layers": (int, "decoder layers"),
    "dropout": (float, "dropout on sub-layer outputs and embedding sums"),
    "attention_dropout": (float, "dropout on attention weights"),
    "norm": (("post", "pre"), "LayerNorm after the residual sum, as in the paper, or before the sub-layer"),
    "layer_norm_eps": (float, "LayerNorm's eps"),
    "positions": (("sinusoidal", "learned"), "positional encoding"),
    "max_len": (int, "the longest sentence, in tokens"),
    "tie": (("all", "target", "none"), "which embedding tables are one"),
    "attention_bias": (("true", "false"), "biases in W^Q, W^K, W^V, W^O"),
    "dtype": (("float32", "float64"), "type of all numbers"),
}
TRAINING_OPTIONS = {
    "epochs": (int, "passes over the training pairs"),
    "batch_tokens": (int, "source and target tokens of a batch, about"),
    "warmup_steps": (int, "updates in which the learning rate rises"),
    "learning_rate": (float, "its peak (default: the paper's d_model^-0.5 warmup_steps^-0.5)"),
    "label_smoothing": (float, "eps of the smoothed labels"),
    "beta1": (float, "Adam's beta1"),
    "beta2": (float, "Adam's beta2"),
    "adam_eps": (float, "Adam's eps"),
    "unit": (("words", "characters"), "what a token is"),
    "lowercase": (("none", "source", "both"), "fold the case of which side"),
    "min_count": (int, "how often a token must occur in training to enter the vocabulary"),
    "save_every": (int, "updates between checkpoints, besides one after each epoch"),
    "seed": (int, "seed of weights, dropout, batches and made data"),
}

DEFAULTS = {
    "label_smoothing": 0.1,
    "beta1": 0.9,
    "beta2": 0.98,
    "adam_eps": 1e-9,
    "unit": "words",
    "lowercase": "none",
    "min_count": 1,
    "save_every": 1000,
    "seed": 0,
}
PRESETS = {
    "tiny": {"epochs": 8, "batch_tokens": 512, "warmup_steps": 300, "learning_rate": 0.002, "dropout": 0.0},
    "small": {"epochs": 10, "batch_tokens": 1024, "warmup_steps": 400, "learning_rate": 0.0007, "min_count": 2},
    "base": {"epochs": 10, "batch_tokens": 4096, "warmup_steps": 4000, "min_count": 2},
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for every setting; one that is not given leaves no trace, so that presets can fill it."""
    for title, options in (("model", MODEL_OPTIONS), ("training", TRAINING_OPTIONS)):
        group = parser.add_argument_group(title)
        for name, (kind, text) in options.items():
            flag = "--" + name.replace("_", "-")
            takes = {"choices": kind} if isinstance(kind, tuple) else {"type": kind, "metavar": kind.__name__.upper()}
            group.add_argument(flag, help=text, default=argparse.SUPPRESS, **takes)


def resolve(given: dict) -> dict:
    """Return all settings: defaults, then the data set's, then the preset's, then what was given.

    >>> settings = resolve({"dataset": "phrasebook", "epochs": 3})
    >>> settings["preset"], settings["epochs"], settings["lowercase"]
    ('tiny', 3, 'source')
    """
    dataset = given.get("dataset")
    by_dataset = {"unit": corpus.UNITS[dataset]} if dataset else {}
    if dataset == "phrasebook":
        by_dataset["lowercase"] = "source"
    preset = given.get("preset") or ("tiny" if dataset else "small")
    settings = {**DEFAULTS, **PRESETS[preset], **by_dataset, **given, "preset": preset}
    return checked(settings)


def checked(settings: dict) -> dict:
    """Return the training settings. Raises `InputError` when one is missing, of another type or out of range."""
    for name, (kind, _) in TRAINING_OPTIONS.items():
        value = settings.get(name)
        if name == "learning_rate" and value is None:
            continue
        if isinstance(kind, tuple):
            good, expected = value in kind, f"one of {', '.join(kind)}"
        elif kind is int:
            least = 0 if name == "seed" else 1
            good, expected = type(value) is int and value >= least, f"a whole number, {least} or more"
        else:
            may_be_zero = name in ("label_smoothing", "beta1", "beta2")
            good = type(value) in (int, float) and (0 < value < math.inf or (value == 0 and may_be_zero))
            expected = "a number, 0 or more" if may_be_zero else "a number above 0"
        if not good:
            raise InputError(f"{name} = {value!r}: expected {expected}")
    return settings


def saved_settings(folder: RunFolder) -> dict:
    """Return the training settings of a run. Raises `InputError` when they are not as `train` wrote them."""
    settings = folder.settings("training")
    files = [type(settings.get(name)) for name in FILES]
    none = type(None)
    try:
        if settings.get("dataset") not in corpus.NAMES and files not in ([str, str, none, none], [str] * 4):
            raise InputError(f"expected a dataset, one of {', '.join(corpus.NAMES)}, or the files src and tgt")
        return checked(settings)
    except InputError as error:
        raise InputError(f"{folder.config_path} is damaged: {error}") from None


def model_config(settings: dict, *, src_vocab_size: int, tgt_vocab_size: int) -> TransformerConfig:
    """Return the model's config: the preset's sizes, changed by what was given."""
    chosen = {name: settings[name] for name in MODEL_OPTIONS if name in settings}
    if "attention_bias" in chosen:
        chosen["attention_bias"] = chosen["attention_bias"] == "true"
    make = getattr(TransformerConfig, settings["preset"])
    return make(src_vocab_size=src_vocab_size, tgt_vocab_size=tgt_vocab_size, **chosen)
