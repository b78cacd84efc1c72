"""A published model that writes Arabic letters, and what its heads look at. For notebook 32c."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from unicodedata import lookup

import numpy as np

import npformer as npf
from npformer.tasks import Translator
from npformer.visualization import sentence_attention
from npformer.visualization.plots import new_figure, plot_attention

from ..pictures import plot_heads
from .shares import Shares, neighbors, things_of_decoder

# the Arabic letters that most people type as one Latin letter or digit
LETTERS = "LAM=l KAF=k MEEM=m BEH=b NOON=n SHEEN=s SEEN=s FEH=f HAH=7 AIN=3 ZAIN=z REH=r HEH=h"
LETTERS += " YEH=y WAW=w TEH=t DAL=d"
NAMES = dict(letter.split("=") for letter in LETTERS.split())
SOUNDS = {lookup(f"ARABIC LETTER {name}"): latin for name, latin in NAMES.items()}
KINDS = ("encoder", "decoder", "cross")


def published_model() -> Translator | None:
    """Return the model of egyptian-arabizi-franco, or None where it is not installed."""
    package = find_spec("egyptian_arabizi_franco")
    if package is None or not package.submodule_search_locations or find_spec("onnx") is None:
        return None
    folder = Path(package.submodule_search_locations[0]) / "models"
    return npf.interop.load(
        folder,
        source_vocabulary=str(folder / "vocab.json"),
        tokenizer="character",
        lowercase="source",
        source_special_tokens="none",
        norm="pre",
        n_heads=4,
        embedding_scale="sqrt",
    )


def sounds_like(letters: Sequence[str], source: Sequence[str]) -> np.ndarray:
    """Return where in a source is what a letter sounds like, booleans (letters, S)."""
    rows = []
    for letter in letters:
        rows.append([SOUNDS.get(letter) == latin for latin in source])
    return np.array(rows)


def measure_letters(translator: Translator, typed: Sequence[str]) -> dict[str, Shares]:
    """Return the shares of neighbors, and of the letters that are written and read."""
    found = {kind: Shares() for kind in KINDS}
    for sentence in typed:
        looked = sentence_attention(translator, sentence)
        found["encoder"].add(looked.encoder, neighbors(len(looked.source)))
        found["decoder"].add(looked.decoder, things_of_decoder(looked), causal=True)
        sides = {
            "writes": sounds_like(looked.written, looked.source),
            "reads": sounds_like(looked.read, looked.source),
        }
        found["cross"].add(looked.cross, sides)
    return found


def plot_shares(found: dict[str, Shares]):
    """Draw the shares of all heads, a panel for each kind of attention."""
    figure, axes = new_figure(1, len(found), width=10, height=5)
    for ax, (title, kind) in zip(axes, found.items(), strict=True):
        things, shares, chance = kind.table()
        plot_heads(ax, shares, chance, things, title=title)
    return figure


def plot_reader_and_writer(translator: Translator, found: dict[str, Shares], typed: str):
    """Draw the map of the head that looks at the letter read, and of one that looks at the next."""
    _, shares, _ = found["cross"].table()  # (layers, H, 2): writes, reads
    layer, head = np.unravel_index(shares[..., 1].argmax(), shares.shape[:2])
    best = shares[2, :, 0].argmax()
    looked = sentence_attention(translator, typed)
    assert looked.cross is not None  # a translator has some
    figure, axes = new_figure(1, 2, width=10, height=4.6)
    reader = looked.cross[layer, head]
    plot_attention(axes[0], reader, looked.read, looked.source, title=f"head {layer}.{head}")
    axes[0].set_ylabel("letter read")
    writer = looked.cross[2, best]
    plot_attention(axes[1], writer, looked.written, looked.source, title=f"head 2.{best}")
    axes[1].set_ylabel("letter written")
    return figure
