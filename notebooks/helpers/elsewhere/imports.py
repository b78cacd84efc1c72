"""The three models as npformer imports them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import npformer as npf
from npformer.datasets import SentencePair
from npformer.tasks import Translator

from .models import trained
from .writing import write_jadore, write_marian, write_nn_transformer


def imported(pairs: Sequence[SentencePair], folder: Path, *, epochs: int = 2) -> dict[str, Translator]:
    """Train a model of each kind on sentence pairs, write it as its own program would, and return what is imported.

    Raises `MissingExtraError` without the library sentencepiece.
    """
    write = {"nn.Transformer": write_nn_transformer, "jadore": write_jadore, "Marian": write_marian}
    files = {name: write[name](trained(name, pairs, epochs=epochs), folder / name) for name in write}
    nn, jadore = (str(files[name].parent) for name in ("nn.Transformer", "jadore"))
    settings = {
        "nn.Transformer": {
            "source_vocabulary": f"{nn}/source.txt",
            "target_vocabulary": f"{nn}/target.txt",
            "n_heads": 4,
            "norm": "pre",
            "activation": "gelu",
            "embedding_scale": "sqrt",
        },
        "jadore": {"source_vocabulary": f"{jadore}/tokens.txt", "n_heads": 4, "scale": "prj"},
        "Marian": {},  # its folder has them
    }
    return {name: npf.interop.load(files[name], **settings[name]) for name in files}
