"""The three models as npformer imports them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import npformer as npf
from npformer.datasets import SentencePair
from npformer.interop import read_arrays
from npformer.tasks import Translator

from ..expected import Expected
from .models import trained
from .writing import write_jadore, write_marian, write_nn_transformer

WRITERS = {"nn.Transformer": write_nn_transformer, "jadore": write_jadore, "Marian": write_marian}


def trained_and_written(
    pairs: Sequence[SentencePair], folder: Path, *, epochs: int = 2
) -> tuple[dict[str, Translator], dict[str, Path]]:
    """Train a model of each kind and write it as its own program would; return them and the files.

    Raises and arguments as in `imported`.
    """
    originals = {}
    files = {}
    for name, write in WRITERS.items():
        originals[name] = trained(name, pairs, epochs=epochs)
        files[name] = write(originals[name], folder / name)
    return originals, files


def imported(
    pairs: Sequence[SentencePair], folder: Path, *, epochs: int = 2
) -> dict[str, Translator]:
    """Train a model of each kind, write it as its own program would, and return what is imported.

    Raises `MissingExtraError` without the library sentencepiece.

    Arguments:
        pairs: the sentences to train on
        folder: where the models are written, each in a folder of its own
        epochs: of each training
    """
    _, files = trained_and_written(pairs, folder, epochs=epochs)
    nn_file = files["nn.Transformer"]
    jadore_file = files["jadore"]

    # a state dict does not hold these settings; Marian's folder has them
    return {
        "nn.Transformer": npf.interop.load(
            nn_file,
            source_vocabulary=str(nn_file.parent / "source.txt"),
            target_vocabulary=str(nn_file.parent / "target.txt"),
            n_heads=4,
            norm="pre",
            activation="gelu",
            embedding_scale="sqrt",
        ),
        "jadore": npf.interop.load(
            jadore_file,
            source_vocabulary=str(jadore_file.parent / "tokens.txt"),
            n_heads=4,
            scale="prj",
        ),
        "Marian": npf.interop.load(files["Marian"]),
    }


def first_stacked(file: Path) -> np.ndarray:
    """Return the first matrix of the encoder that makes queries, keys and values (3D, D)."""
    arrays = read_arrays(file)
    [name] = [name for name in arrays if name.endswith("encoder.layers.0.self_attn.in_proj_weight")]
    return arrays[name]


def keys_to_write(stacked: np.ndarray) -> Expected:
    """Return W^K as npformer has it (D, D), with what else people cut out of the stacked matrix."""
    of_queries, of_keys, of_values = np.split(stacked, 3)
    expected = Expected(w_key=of_keys.T)
    expected.say("it is not transposed yet", w_key=of_keys)
    expected.say("these rows make the queries", w_key=of_queries.T)
    expected.say("these rows make the values", w_key=of_values.T)
    return expected
