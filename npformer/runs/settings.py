"""The settings of a training: recipes, changes by data set, and the options on the command line."""

from __future__ import annotations

import argparse
import math
from importlib.resources import files
from pathlib import Path

from ..base.errors import InputError
from ..base.files import read_json
from ..datasets import corpus, multi30k
from ..models import TransformerConfig
from .folder import RunFolder

SENTENCE_FILES = ("src", "tgt", "valid_src", "valid_tgt")

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
    "patience": (int, "stop after so many epochs without a better held-out loss (0: never)"),
    "batch_tokens": (int, "source and target tokens of a batch, about"),
    "accumulate": (int, "batches whose gradients are added up for one update"),
    "warmup_steps": (int, "updates in which the learning rate rises"),
    "learning_rate": (float, "its peak (default: the paper's d_model^-0.5 warmup_steps^-0.5)"),
    "label_smoothing": (float, "eps of the smoothed labels"),
    "clip_norm": (float, "longest gradient, all parameters taken as one vector (default: any)"),
    "beta1": (float, "Adam's beta1"),
    "beta2": (float, "Adam's beta2"),
    "adam_eps": (float, "Adam's eps"),
    "unit": (("words", "characters", "subwords"), "what a token is"),
    "lowercase": (("none", "source", "both"), "fold the case of which side (not with subwords)"),
    "min_count": (int, "how often a word or character must occur in training to enter the vocabulary"),
    "vocab_size": (int, "how many subwords to learn, at most"),
    "subword_dropout": (float, "probability with which a merge of subwords is left out (BPE-dropout; 0: never)"),
    "average": (int, "epochs whose weights are averaged for translating"),
    "average_of": (("last", "best"), "the last epochs, or those of the lowest held-out loss"),
    "workers": (int, "threads that share the sentences of an update"),
    "save_every": (int, "updates between checkpoints, besides one after each epoch"),
    "seed": (int, "seed of weights, dropout, batches and made data"),
}
MAY_BE_NONE = ("learning_rate", "clip_norm")
MAY_BE_ZERO = ("seed", "patience", "label_smoothing", "beta1", "beta2", "subword_dropout")
DATASETS = (*corpus.NAMES, "multi30k")
RECIPES = ("tiny", "small", "base", "multi30k")


def read_recipe(name: str) -> dict:
    """Return all settings of a recipe: one of RECIPES, or a JSON file of the same form.

    Raises `InputError` when the file cannot be read, lacks a setting or has an unknown one.
    """
    shipped = files("npformer.runs") / "recipes" / f"{name}.json"
    path = shipped if name in RECIPES else Path(name)
    if name not in RECIPES and path.suffix != ".json":
        raise InputError(f"recipe {name!r} is unknown: expected one of {', '.join(RECIPES)}, or a .json file")
    recipe, settings = read_json(path), {}
    for part, options in (("model", MODEL_OPTIONS), ("training", TRAINING_OPTIONS)):
        found = recipe.get(part)
        if not isinstance(found, dict) or found.keys() != options.keys():
            odd = sorted(options.keys() ^ found.keys()) if isinstance(found, dict) else []
            names = f": see to {', '.join(odd)}" if odd else ""
            raise InputError(
                f"{path} is no recipe: {part!r} must have the settings of a shipped recipe, all and only{names}"
            )
        settings |= found
    return settings


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for every setting; one that is not given leaves no trace, so that presets can fill it."""
    for title, options in (("model", MODEL_OPTIONS), ("training", TRAINING_OPTIONS)):
        group = parser.add_argument_group(title)
        for name, (kind, text) in options.items():
            flag = "--" + name.replace("_", "-")
            takes = {"choices": kind} if isinstance(kind, tuple) else {"type": kind, "metavar": kind.__name__.upper()}
            group.add_argument(flag, help=text, default=argparse.SUPPRESS, **takes)


def resolve(given: dict) -> dict:
    """Return all settings: the recipe's, changed by the data set, changed by what was given.

    >>> settings = resolve({"dataset": "phrasebook", "epochs": 3})
    >>> settings["recipe"], settings["epochs"], settings["lowercase"]
    ('tiny', 3, 'source')
    """
    dataset = given.get("dataset")
    if dataset == "multi30k":
        recipe, by_dataset = "multi30k", {"direction": "en-de"}
    elif dataset:
        recipe, by_dataset = "tiny", {"unit": corpus.UNITS[dataset]}
    else:
        recipe, by_dataset = "small", {}
    if dataset == "phrasebook":
        by_dataset["lowercase"] = "source"
    recipe = given.get("recipe", recipe)
    return checked({**read_recipe(recipe), **by_dataset, **given, "recipe": recipe})


def checked(settings: dict) -> dict:
    """Return the training settings. Raises `InputError` when one is missing, of another type or out of range."""
    if missing := sorted(TRAINING_OPTIONS.keys() - settings.keys()):
        raise InputError(f"the training lacks {', '.join(missing)}")
    for name, (kind, _) in TRAINING_OPTIONS.items():
        value, may_be_zero = settings.get(name), name in MAY_BE_ZERO
        if value is None and name in MAY_BE_NONE:
            continue
        if isinstance(kind, tuple):
            good, expected = value in kind, f"one of {', '.join(kind)}"
        elif kind is int:
            least = 0 if may_be_zero else 1
            good, expected = type(value) is int and value >= least, f"a whole number, {least} or more"
        else:
            good = type(value) in (int, float) and (0 < value < math.inf or (value == 0 and may_be_zero))
            expected = "a number, 0 or more" if may_be_zero else "a number above 0"
        if not good:
            raise InputError(f"{name} = {value!r}: expected {expected}")
    return settings


def saved_settings(folder: RunFolder) -> dict:
    """Return the training settings of a run. Raises `InputError` when they are not as `train` wrote them."""
    settings = folder.settings("training")
    files = [type(settings.get(name)) for name in SENTENCE_FILES]
    none = type(None)
    try:
        if settings.get("dataset") not in DATASETS and files not in ([str, str, none, none], [str] * 4):
            raise InputError(f"expected a dataset, one of {', '.join(DATASETS)}, or the files src and tgt")
        if settings.get("dataset") == "multi30k" and settings.get("direction") not in multi30k.DIRECTIONS:
            raise InputError(f"expected a direction, one of {', '.join(multi30k.DIRECTIONS)}")
        return checked(settings)
    except InputError as error:
        raise InputError(f"{folder.config_path} is damaged: {error}") from None


def model_config(settings: dict, *, src_vocab_size: int, tgt_vocab_size: int) -> TransformerConfig:
    """Return the model's config."""
    chosen = {name: settings[name] for name in MODEL_OPTIONS}
    if isinstance(chosen["attention_bias"], str):
        chosen["attention_bias"] = chosen["attention_bias"] == "true"
    return TransformerConfig(src_vocab_size=src_vocab_size, tgt_vocab_size=tgt_vocab_size, **chosen)
