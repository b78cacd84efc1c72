"""`npformer attend`: draw where a trained model looks while it translates a sentence."""

from __future__ import annotations

import sys
import warnings
from contextlib import nullcontext

from ..base.errors import InputError, require
from ..decoding import Translator
from ..seeing import SentenceAttention, sentence_attention
from ..seeing.plots import (
    grid_shape,
    grid_size,
    lines_size,
    map_size,
    new_figure,
    picture_format,
    plot_attention,
    plot_attention_grid,
    plot_attention_lines,
    save_figure,
)
from ..seeing.sentence import UNKNOWN
from ..seeing.viewer import AttentionViewer, page_format
from .threads import blas_threads

TITLES = {"cross": "cross-attention", "encoder": "encoder self-attention", "decoder": "decoder self-attention"}
NAMES = {"cross": ("written", "source"), "encoder": ("from", "to"), "decoder": ("from", "to")}


def attend(
    run: str,
    sentence: str,
    *,
    translation: str | None,
    kind: str,
    layer: str | None,
    heads: str | None,
    picture: str,
    query: str | None,
    dark: bool,
    out: str | None,
    html: str | None,
) -> int:
    """Draw the attention of one kind, write the viewer if asked to, print where they are, return the exit status."""
    out = f"attention-{kind}-{picture}.png" if out is None else out
    picture_format(out)
    if html is not None:
        page_format(html)
    if picture == "lines" and layer == "all":
        raise InputError("--picture lines shows one layer: give --layer a number")
    if picture != "lines" and query is not None:
        raise InputError("--query chooses among lines: give --picture lines beside it")
    if translation is not None and not translation.strip():
        raise InputError("the translation is empty: give at least one word, or leave --translation out")
    translator = Translator.load(run)
    settings = translator.model.config
    n_layers = settings.n_encoder_layers if kind == "encoder" else settings.n_decoder_layers
    layers = chosen_layers(layer, n_layers, "encoder" if kind == "encoder" else "decoder")
    chosen = chosen_heads(heads, settings.n_heads)
    with blas_threads(settings):
        looked = sentence_attention(translator, sentence, translation)
    tell_unknown(translator, sentence, translation)
    style = require("matplotlib.style", "npformer").context("dark_background") if dark else nullcontext()
    with style, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = drawn(looked, kind, layers, chosen, picture, query)
        save_figure(figure, out)
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        print(f"npformer: {message}", file=sys.stderr)
    print(out)
    if html is not None:
        AttentionViewer(looked).save(html)
        print(html)
    return 0


def drawn(looked: SentenceAttention, kind: str, layers: list[int], heads: list[int], picture: str, query: str | None):
    """Return a figure of the chosen layers and heads, all counted from 0."""
    weights = getattr(looked, kind)[layers]  # (layers, H, T, S)
    queries, keys = {
        "cross": (looked.written, looked.source),
        "encoder": (looked.source, looked.source),
        "decoder": (looked.read, looked.read),
    }[kind]
    title = TITLES[kind] + (f", layer {layers[0] + 1}" if len(layers) == 1 else "")
    if picture == "lines":
        only = query_rows(query, queries)
        figure, ax = new_figure(**lines_size(queries, keys))
        plot_attention_lines(ax, weights[0], queries, keys, heads=heads, only=only, names=NAMES[kind], title=title)
    elif len(layers) == len(heads) == 1:
        figure, ax = new_figure(**map_size(queries, keys))
        plot_attention(ax, weights[0, heads[0]], queries, keys, title=f"{title}, head {heads[0] + 1}")
    else:
        shape = grid_shape(len(layers), len(heads), n_keys=len(keys))
        figure, axes = new_figure(*shape, **grid_size(queries, keys, *shape))
        plot_attention_grid(axes, weights if len(layers) > 1 else weights[0], queries, keys, heads=heads)
        figure.suptitle(title)
    return figure


def chosen_layers(text: str | None, n_layers: int, column: str) -> list[int]:
    """Return the layers that --layer names, counted from 0: by default the last."""
    if text == "all":
        return list(range(n_layers))
    if text is None:
        return [n_layers - 1]
    if not text.isdecimal() or not 1 <= int(text) <= n_layers:
        raise InputError(f"--layer {text}: expected a number from 1 to {n_layers}, the layers of the {column}, or all")
    return [int(text) - 1]


def chosen_heads(text: str | None, n_heads: int) -> list[int]:
    """Return the heads that --heads names, counted from 0, each once: by default all."""
    if text is None:
        return list(range(n_heads))
    numbers = [number.strip() for number in text.split(",")]
    if wrong := [number for number in numbers if not number.isdecimal() or not 1 <= int(number) <= n_heads]:
        raise InputError(f"--heads {text}: {wrong[0]!r} is no head, expected numbers from 1 to {n_heads} with commas")
    return sorted({int(number) - 1 for number in numbers})


def query_rows(text: str | None, queries: list[str]) -> list[int]:
    """Return the places at which --query's token stands: none where it was not given."""
    rows = [row for row, token in enumerate(queries) if text in (token, token.removesuffix(UNKNOWN))]
    if text is not None and not rows:
        raise InputError(f"--query {text!r} is not among the tokens on the left: expected one of {' '.join(queries)}")
    return rows


def tell_unknown(translator: Translator, sentence: str, translation: str | None) -> None:
    """Name on standard error the words that the model does not know."""
    for vocabulary, text in ((translator.source, sentence), (translator.target, translation or "")):
        if unknown := vocabulary.unknown(text):
            print(f"npformer: unknown, read as <unk>: {', '.join(unknown)}", file=sys.stderr)
