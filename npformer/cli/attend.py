"""Draw the attention of a trained model. Layers and heads are counted from 0."""

from collections.abc import Sequence
from typing import Any

from ..runs.folder import RunFolder
from ..tasks import Predictor
from ..utils import InputError
from ..visualization import SentenceAttention, plots, sentence_attention
from ..visualization.viewer import AttentionViewer
from .argument_parser import RUN_HELP, file_name, number, utf8_text
from .standard_streams import print_error, report_warnings

# Title, and the sides of queries and keys. In cross-attention a row is labeled by the token that
# it predicts, as in an alignment of both texts.
KINDS = {
    "cross": ("cross-attention", "written", "source"),
    "encoder": ("encoder self-attention", "source", "source"),
    "decoder": ("decoder self-attention", "read", "read"),
}


def add_options(parser: Any) -> None:
    """Add the options."""
    add = parser.add_argument
    add("run", type=file_name, metavar="RUN", help=RUN_HELP)
    add(
        "sentence",
        type=utf8_text,
        metavar="SENTENCE",
        help="the text, which a translation model translates",
    )
    add(
        "--translation",
        type=utf8_text,
        metavar="TEXT",
        help="the target (default: the greedy translation)",
    )
    add("--kind", choices=KINDS, help="which attention (default cross, or that of the only stack)")
    add("--layer", type=_layer_number, metavar="N", help="a layer, or all (default: the last)")
    add("--heads", type=_head_numbers, metavar="N,N", help="some heads, such as 0,2 (default: all)")
    add(
        "--out",
        type=file_name,
        metavar="FILE",
        help=".png, .svg or .pdf (default: a PNG in this folder)",
    )
    add(
        "--html",
        type=file_name,
        metavar="FILE",
        help="also write a page that shows all layers and heads",
    )


def run(options: Any) -> int:
    """Draw the attention, print the names of the files, and return the exit status."""
    if options.translation is not None and not options.translation.strip():
        raise InputError(
            "the translation is empty: give at least one word, or leave --translation out"
        )
    predictor = RunFolder.find(options.run).load()
    attention = sentence_attention(predictor, options.sentence, options.translation)
    kind = options.kind or attention.kinds[0]
    if kind not in attention.kinds:
        raise InputError(
            f"--kind {kind}: a model of the task {predictor.task} has no such attention, "
            f"expected {', '.join(attention.kinds)}"
        )

    n_layers, n_heads = getattr(attention, kind).shape[:2]
    if options.layer == "all":
        layers = list(range(n_layers))
    elif options.layer is None:
        layers = [n_layers - 1]
    else:
        layers = [options.layer]
    heads = options.heads or list(range(n_heads))
    _check_numbers(layers, n_layers, "layer")
    _check_numbers(heads, n_heads, "head")
    _report_unknown(predictor, options.sentence, options.translation)

    out = options.out or f"attention-{kind}-maps.png"
    with report_warnings():
        figure = _draw(attention, kind, layers, heads)
        if options.html is not None:
            AttentionViewer(attention).save(options.html)
        plots.save_figure(figure, out)
    print(out)
    if options.html is not None:
        print(options.html)
    return 0


def _report_unknown(predictor: Predictor, sentence: str, translation: str | None) -> None:
    """Print which tokens of both sides are read as <unk>."""
    texts = [sentence, translation or ""]
    vocabularies = [getattr(predictor, side) for side in predictor.sides if side != "label"]
    # a model with one side has no second text
    for vocabulary, text in zip(vocabularies, texts, strict=False):
        unknown = vocabulary.unknown(text)
        if unknown:
            print_error(f"unknown, read as <unk>: {', '.join(unknown)}")


def _draw(attention: SentenceAttention, kind: str, layers: list[int], heads: list[int]) -> Any:
    """Return a figure of the chosen layers and heads."""
    # the heads are chosen further down, where titles need their numbers
    weights = getattr(attention, kind)[layers]  # (layers, H, T, S)
    title, query_side, key_side = KINDS[kind]
    queries = getattr(attention, query_side)
    keys = getattr(attention, key_side)
    if len(layers) == 1:
        title += f", layer {layers[0]}"

    if len(layers) == 1 and len(heads) == 1:
        size = plots.map_size(queries, keys)
        figure, ax = plots.new_figure(width=size["width"], height=size["height"])
        title += f", head {heads[0]}"
        plots.plot_attention(ax, weights[0, heads[0]], queries, keys, title=title)
        return figure

    n_rows, n_columns = plots.grid_shape(len(layers), len(heads), n_keys=len(keys))
    size = plots.grid_size(queries, keys, n_rows, n_columns)
    figure, axes = plots.new_figure(n_rows, n_columns, width=size["width"], height=size["height"])
    if len(layers) == 1:
        weights = weights[0]  # (H, T, S)
    plots.plot_attention_grid(axes, weights, queries, keys, heads=heads)
    figure.suptitle(title)
    return figure


def _layer_number(text: str) -> int | str:
    """Read the number of a layer, or all."""
    if text == "all":
        return text
    return number(least=0)(text)


def _head_numbers(text: str) -> list[int]:
    """Read numbers of heads with commas between; each counts once."""
    read = number(least=0)
    return sorted({read(part) for part in text.split(",")})


def _check_numbers(numbers: Sequence[int], n: int, what: str) -> None:
    """Raise `InputError` when the last of ascending numbers of heads or layers does not exist."""
    if numbers[-1] >= n:
        raise InputError(
            f"{what} {numbers[-1]} does not exist: expected a number from 0 to {n - 1}"
        )
