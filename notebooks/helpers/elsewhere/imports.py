"""The three models as npformer imports them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import npformer as npf
from npformer.datasets import SentencePair
from npformer.tasks import Translator

from .models import trained
from .writing import write_jadore, write_marian, write_nn_transformer


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
    nn = trained("nn.Transformer", pairs, epochs=epochs)
    nn_file = write_nn_transformer(nn, folder / "nn.Transformer")
    jadore = trained("jadore", pairs, epochs=epochs)
    jadore_file = write_jadore(jadore, folder / "jadore")
    marian = trained("Marian", pairs, epochs=epochs)
    marian_folder = write_marian(marian, folder / "Marian")

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
        "Marian": npf.interop.load(marian_folder),
    }
