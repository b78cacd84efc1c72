"""Draw the pictures of docs: python tools/draw.py runs/phrasebook, which `npformer train` wrote.

It writes attention.png, heads.png, lines.png, positions.png and figure_1.svg into data/pictures,
or into --out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from npformer import Transformer, TransformerConfig, runs
from npformer.layers.positional_encoding import sinusoids
from npformer.visualization import figure_1, sentence_attention
from npformer.visualization.plots import (
    grid_shape,
    grid_size,
    map_size,
    new_figure,
    plot_attention,
    plot_attention_grid,
    save_figure,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "notebooks"))
from helpers.pictures import (
    lines_size,
    plot_attention_lines,
    plot_position_waves,
    plot_positions,
)

SENTENCE = "On Sunday the doctors can watch television with the clever girl."
DOTS_PER_INCH = 96
PICTURES = Path(__file__).parents[1] / "data" / "pictures"


def draw(run: str, out: Path, sentence: str = SENTENCE) -> None:
    """Draw the pictures into a folder."""
    looked = sentence_attention(runs.load(run), sentence)
    assert looked.cross is not None  # a translation has some
    cross = looked.cross[-1]
    written = looked.written
    source = looked.source

    size = map_size(written, source)
    figure, ax = new_figure(width=size["width"], height=size["height"])
    title = "cross-attention of the last decoder layer, mean over heads"
    plot_attention(ax, cross.mean(0), written, source, title=title)
    save_figure(figure, out / "attention.png", dots_per_inch=DOTS_PER_INCH)

    shape = grid_shape(1, len(cross))
    size = grid_size(written, source, *shape)
    figure, axes = new_figure(*shape, width=size["width"], height=size["height"])
    plot_attention_grid(axes, cross, written, source)
    save_figure(figure, out / "heads.png", dots_per_inch=DOTS_PER_INCH)

    size = lines_size(written, source)
    figure, ax = new_figure(width=size["width"], height=size["height"])
    plot_attention_lines(ax, cross, written, source, names=("written", "source"))
    save_figure(figure, out / "lines.png", dots_per_inch=DOTS_PER_INCH)

    figure, (left, right) = new_figure(1, 2, width=11, height=3.6)
    plot_positions(left, sinusoids(60, 64))
    plot_position_waves(right, 64)
    save_figure(figure, out / "positions.png", dots_per_inch=DOTS_PER_INCH)

    base = TransformerConfig.base(src_vocab_size=37_000, tgt_vocab_size=37_000)
    figure_1(Transformer(base)).save(out / "figure_1.svg")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Draw the pictures of docs.")
    parser.add_argument("run", metavar="RUN", help="the run folder of the phrasebook")
    parser.add_argument(
        "--out", type=Path, default=PICTURES, metavar="DIR", help="a folder that exists"
    )
    given = parser.parse_args()
    draw(given.run, given.out)
