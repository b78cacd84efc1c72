"""Draw where a trained model looks while it reads or translates a text. Layers and heads are counted from 1."""

from ..decoding.predictor import Predictor
from ..runs.folder import RunFolder
from ..utils import InputError, import_optional
from ..utils.files import check_place
from ..visualization import SentenceAttention, plots, sentence_attention
from ..visualization.attention import UNKNOWN
from ..visualization.viewer import AttentionViewer, page_format
from .options import is_whole, named, sentence
from .output import tell, warnings_told

USAGE = "[options] RUN SENTENCE"
KINDS = {  # title, the tokens that look and those looked at, and what stands above the two in a picture of lines
    "cross": ("cross-attention", ("written", "source"), ("written", "source")),
    "encoder": ("encoder self-attention", ("source", "source"), ("from", "to")),
    "decoder": ("decoder self-attention", ("read", "read"), ("from", "to")),
}

KINDS_OF_TASK = {"translation": tuple(KINDS), "classification": ("encoder",), "language_model": ("decoder",)}


def add_options(parser) -> None:
    """Add what may be said."""
    add = parser.add_argument
    add("run", type=named, metavar="RUN", help="a run folder of `npformer train` or import")
    add("sentence", type=sentence, metavar="SENTENCE", help="what to read, and to translate where the run does that")
    add("--translation", type=sentence, metavar="TEXT", help="read this (default: what the model writes, greedily)")
    kind = "which attention (default cross, or where one column is all there is, that of this)"
    add("--kind", choices=KINDS, help=kind)
    add("--layer", metavar="N", help="a layer, or all (default: the last)")
    add("--heads", metavar="N,N", help="some heads, such as 1,3 (default: all)")
    picture = "maps: a heat map a head; lines: as in the paper (default maps)"
    add("--picture", choices=("maps", "lines"), default="maps", help=picture)
    query = "in a picture of lines: only those of this token (default: all)"
    add("--query", type=sentence, metavar="TOKEN", help=query)
    add("--dark", action="store_true", help="light on black, for dark pages")
    add("--out", type=named, metavar="FILE", help=".png, .svg or .pdf (default: a PNG in this folder)")
    html = "beside the picture, a page to explore all layers and heads in"
    add("--html", type=named, metavar="FILE", help=html)


def run(options) -> int:
    """Draw the attention of one kind, write the viewer if asked to, print where they are, return the exit status."""
    learnt, kind = learnt_and_kind(options.run, options.kind)
    picture, translation = options.picture, options.translation
    out = options.out or f"attention-{kind}-{picture}.png"
    plots.picture_format(out)
    check_place(out)
    if options.html is not None:
        page_format(options.html)
        check_place(options.html)
    if picture == "lines" and options.layer == "all":
        raise InputError("--picture lines shows one layer: give --layer a number")
    if picture != "lines" and options.query is not None:
        raise InputError("--query chooses among lines: give --picture lines beside it")
    if translation is not None and not translation.strip():
        raise InputError("the translation is empty: give at least one word, or leave --translation out")
    config = learnt.model.config
    column = "encoder" if kind == "encoder" else "decoder"
    layers = chosen_layers(options.layer, getattr(config, f"n_{column}_layers"), column)
    heads = chosen_heads(options.heads, config.n_heads)
    looked = sentence_attention(learnt, options.sentence, translation)
    vocabularies = [getattr(learnt, side) for side in learnt.sides if side != "label"]
    for vocabulary, text in zip(vocabularies, (options.sentence, translation or ""), strict=False):
        if unknown := vocabulary.unknown(text):
            tell(f"unknown, read as <unk>: {', '.join(unknown)}")
    style = import_optional("matplotlib.style", "npformer").context(["dark_background"] if options.dark else [])
    with warnings_told(), style:
        plots.save_figure(drawn(looked, kind, layers, heads, picture, options.query), out)
    print(out)
    if options.html is not None:
        AttentionViewer(looked).save(options.html)
        print(options.html)
    return 0


def learnt_and_kind(run: str, kind: str | None) -> tuple[Predictor, str]:
    """Return what a run has learnt, and the kind of attention to draw. Raises `InputError` where its model has none."""
    predictor = RunFolder(run).predictor
    kinds = KINDS_OF_TASK[predictor.task]
    if kind not in (None, *kinds):
        raise InputError(
            f"--kind {kind}: a model of the task {predictor.task} has no such attention, expected {', '.join(kinds)}"
        )
    return predictor.load(run), kind or kinds[0]


def drawn(looked: SentenceAttention, kind: str, layers: list[int], heads: list[int], picture: str, query: str | None):
    """Return a figure of the chosen layers and heads, all counted from 0."""
    weights = getattr(looked, kind)[layers]  # (layers, H, T, S)
    title, sides, names = KINDS[kind]
    queries, keys = (getattr(looked, side) for side in sides)
    title += f", layer {layers[0] + 1}" if len(layers) == 1 else ""
    if picture == "lines":
        only = query_rows(query, queries)
        figure, ax = plots.new_figure(**plots.lines_size(queries, keys))
        plots.plot_attention_lines(ax, weights[0], queries, keys, heads=heads, only=only, names=names, title=title)
    elif len(layers) == len(heads) == 1:
        figure, ax = plots.new_figure(**plots.map_size(queries, keys))
        plots.plot_attention(ax, weights[0, heads[0]], queries, keys, title=f"{title}, head {heads[0] + 1}")
    else:
        shape = plots.grid_shape(len(layers), len(heads), n_keys=len(keys))
        figure, axes = plots.new_figure(*shape, **plots.grid_size(queries, keys, *shape))
        plots.plot_attention_grid(axes, weights if len(layers) > 1 else weights[0], queries, keys, heads=heads)
        figure.suptitle(title)
    return figure


def chosen_layers(text: str | None, n_layers: int, column: str) -> list[int]:
    """Return the layers that --layer names, counted from 0: by default the last."""
    if text == "all":
        return list(range(n_layers))
    if text is None:
        return [n_layers - 1]
    if not is_whole(text, 1, n_layers):
        raise InputError(f"--layer {text}: expected a number from 1 to {n_layers}, the layers of the {column}, or all")
    return [int(text) - 1]


def chosen_heads(text: str | None, n_heads: int) -> list[int]:
    """Return the heads that --heads names, counted from 0, each once: by default all."""
    if text is None:
        return list(range(n_heads))
    numbers = [number.strip() for number in text.split(",")]
    if wrong := [number for number in numbers if not is_whole(number, 1, n_heads)]:
        raise InputError(f"--heads {text}: {wrong[0]!r} is no head, expected numbers from 1 to {n_heads} with commas")
    return sorted({int(number) - 1 for number in numbers})


def query_rows(text: str | None, queries: list[str]) -> list[int]:
    """Return the places at which --query's token stands: none where it was not given."""
    rows = [row for row, token in enumerate(queries) if text in (token, token.removesuffix(UNKNOWN))]
    if text is not None and not rows:
        raise InputError(f"--query {text!r} is not among the tokens on the left: expected one of {' '.join(queries)}")
    return rows
