"""Parts of the site's first page and of the page of figure 1 that are made from the library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

import npformer
from npformer.runs.folder import SHIPPED
from npformer.visualization import figure_1, sentence_attention
from npformer.visualization.figure_1 import DARK
from npformer_course import course

MODEL = SHIPPED / "phrasebook"  # what the page loads, as it ships
SENTENCE = "The woman puts on a jacket because it is cold."
EXAMPLES = (
    SENTENCE,
    "On Sunday the doctors can watch television with the clever girl.",
)
WITH_UNKNOWN = "Why does the old dragon sleep?"
SHOWN_WEIGHT = 0.2  # from which a weight is also a number, as in `plot_attention`


def live_translation() -> str:
    """Return the live translation as HTML.

    It shows one sentence, recorded here. docs/_static/live_translation.js translates what is typed.
    """
    translator = npformer.load("phrasebook")
    looked = sentence_attention(translator, SENTENCE)
    assert looked.cross is not None  # a translation has some
    [translation] = translator.translate([SENTENCE], beam=1)

    heads = range(translator.model.config.n_heads)
    names = ["mean", *(f"head {head}" for head in heads)]
    choices = []
    for value, name in zip(["mean", *heads], names, strict=True):
        checked = " checked" if value == "mean" else ""
        radio = f'<input type="radio" name="head" value="{value}"{checked}>'
        choices.append(f"<label>{radio} {name}</label>")
    examples = [f'<button type="button">{escape(text)}</button>' for text in EXAMPLES]
    unknown = f'<button type="button">{escape(WITH_UNKNOWN)}</button>'

    return f"""<form class="live-translation" data-model="{MODEL.name}">
<fieldset class="write" disabled>
<label for="sentence">Write an English sentence</label>
<input id="sentence" value="{escape(SENTENCE)}" maxlength="200" autocomplete="off"
 spellcheck="false" aria-describedby="about-words">
</fieldset>
<p class="translation"><output for="sentence" lang="de">{escape(translation)}</output></p>
<p class="about" id="about-words" role="status">A recorded translation. Write, and the model
 ({size_of_model()} MB) translates in this page.</p>
<p class="kind">It has learned sentences that a small grammar wrote, of 825 English and German
 words. The 500 held-out sentences of its score are of the same grammar. Others may come out wrong
 without a warning, even if it knows their words: it can translate “The old teacher gives pears to
 your nice sister.”, but not “The boy gives the girl a red book.”, because its grammar always
 writes “gives ... to”.</p>
<fieldset class="examples" disabled><legend>Or try</legend>{"".join(examples)}
<span>and, to see it fail at an unknown word,</span>{unknown}</fieldset>
<div class="beside">
<div class="weights" role="region" tabindex="0" aria-label="Attention">
{attention_table(looked.cross[-1].mean(0), looked.written, looked.source)}
</div>
<div class="explained">
<fieldset class="heads" disabled><legend>Attention</legend>{"".join(choices)}</fieldset>
<p>Each German word, a row, is written after a look at the English words. The stronger
 the color, the more the last layer of the decoder attends to that word.
 <a href="notebooks/02_attention_by_hand.html">Compute it by hand</a></p>
</div>
</div>
</form>
<script type="module" src="_static/live_translation.js"></script>
"""


def size_of_model() -> str:
    """Return the megabytes that the page loads for its model."""
    return f"{sum(path.stat().st_size for path in MODEL.iterdir()) / 1e6:.1f}"


def attention_table(weights: np.ndarray, written: Sequence[str], source: Sequence[str]) -> str:
    """Return weights (T, S) as a table of HTML, whose cells site.css colors."""
    columns = "".join(f'<th scope="col"><span>{escape(word)}</span></th>' for word in source)
    rows = [f"<tr><td></td>{columns}</tr>"]
    for word, row in zip(written, weights, strict=True):
        cells = []
        for weight in row:
            number = f"{weight:.1f}" if weight >= SHOWN_WEIGHT else ""
            cells.append(f'<td style="--weight: {weight:.3f}">{number}</td>')
        rows.append(f'<tr><th scope="row">{escape(word)}</th>{"".join(cells)}</tr>')
    return f"<table>{''.join(rows)}</table>"


class Box(NamedTuple):
    """What the page of figure 1 says of a box, or of several boxes that are alike.

    Arguments:
        title: its name in the figure.
        modules: a pattern of the names of the modules that the boxes are, None for a frame.
        classes: their classes; the source is that of the first.
        notebooks: their numbers.
        exercises: their ids.
        step: what the step debugger searches for.
    """

    title: str
    modules: str | None
    classes: tuple[str, ...]
    notebooks: tuple[str, ...]
    exercises: tuple[str, ...]
    step: str


BOXES = (
    Box(
        "Embedding",
        r".*\.embedding",
        ("Embedding",),
        ("05",),
        ("embedding", "embedding_backward"),
        "encoder.input_embedding.embedding ids",
    ),
    Box(
        "Add Positional Encoding",
        r".*\.positions",
        ("SinusoidalPositionalEncoding",),
        ("05", "05b"),
        ("positions",),
        "encoder.input_embedding.positions x",
    ),
    Box(
        "Self-Attention",
        r"encoder\..*\.self_attention\.sublayer",
        ("SelfAttention", "MultiHeadAttention", "ScaledDotProductAttention"),
        ("02", "04", "11"),
        ("attention", "attention_backward", "multi_head", "multi_head_backward"),
        "encoder.layers.0.self_attention scores",
    ),
    Box(
        "Masked Self-Attention",
        r"decoder\..*\.self_attention\.sublayer",
        ("SelfAttention", "MultiHeadAttention", "ScaledDotProductAttention"),
        ("07",),
        ("masks", "masked_softmax", "masked_attention"),
        "decoder.layers.0.self_attention scores",
    ),
    Box(
        "Cross-Attention",
        r".*\.cross_attention\.sublayer",
        ("CrossAttention", "MultiHeadAttention", "ScaledDotProductAttention"),
        ("07", "12"),
        ("decoder_layer", "cross_attention_backward"),
        "decoder.layers.0.cross_attention scores",
    ),
    Box(
        "Feed Forward",
        r".*\.feed_forward\.sublayer",
        ("FeedForward", "Linear", "ReLU"),
        ("06", "12"),
        ("feed_forward", "feed_forward_backward"),
        "encoder.layers.0.feed_forward.sublayer x",
    ),
    Box(
        "Add & Norm",
        r".*\.layers\.\*\.\w+",
        ("PostNorm", "LayerNorm"),
        ("06", "12"),
        ("layer_norm", "layer_norm_backward", "add_norm", "add_norm_backward"),
        "encoder.layers.0.feed_forward.norm xhat",
    ),
    Box(
        "Linear",
        r"generator",
        ("Generator",),
        ("08",),
        ("tied_generator",),
        "generator x",
    ),
    Box(
        "Softmax",
        r"",  # it is in the loss, and has no module of its own
        ("Softmax", "LabelSmoothingLoss"),
        ("02", "14"),
        ("softmax", "softmax_backward", "label_smoothing", "loss_gradient"),
        "dlogits",
    ),
    Box(
        "Dropout",
        None,
        ("Dropout",),
        ("12",),
        ("dropout",),
        "encoder.input_embedding.dropout x",
    ),
    Box(
        "Encoder",
        None,
        ("Encoder", "EncoderLayer"),
        ("06",),
        ("encoder_layer",),
        "encoder.layers.0 x",
    ),
    Box(
        "Decoder",
        None,
        ("Decoder", "DecoderLayer"),
        ("07",),
        ("decoder_layer",),
        "decoder.layers.0 x",
    ),
    Box(
        "All of it",
        None,
        ("Transformer",),
        ("08", "16"),
        ("training_step",),
        "logits",
    ),
)


def figure_1_with_links() -> str:
    """Return figure 1 of the shipped translator as HTML: each box leads to a list of links."""
    drawing = figure_1(npformer.load("phrasebook").model)._repr_svg_()
    drawing = re.sub(r'<g data-module="([^"]*)".*?</g>', _with_link, drawing)
    # the page has a switch of its own; and what has links is no picture to a screen reader
    dark = (
        f'body[data-theme="dark"]{{{DARK}}}'
        f'@media (prefers-color-scheme:dark){{body:not([data-theme="light"]){{{DARK}}}}}'
    )
    drawing = re.sub(r"<style>.*?</style>", lambda _: f"<style>{dark}</style>", drawing)
    drawing = drawing.replace('role="img"', 'role="group"')

    items = "".join(_item(box) for box in BOXES)
    return f'<div class="boxes">\n<div>{drawing}</div>\n<ul>{items}</ul>\n</div>\n'


def _with_link(group: re.Match) -> str:
    """Return a box of the drawing inside a link to its item of the list."""
    for box in BOXES:
        if box.modules is not None and re.fullmatch(box.modules, group[1]):
            return f'<a href="#{anchor_of(box)}">{group[0]}</a>'
    raise ValueError(f"no entry of BOXES has the module {group[1]}")


def anchor_of(box: Box) -> str:
    """Return the id of the item of a box."""
    return "box-" + re.sub(r"\W+", "-", box.title.lower())


def _item(box: Box) -> str:
    """Return the item of a list with the links of a box."""
    package = npformer.layers if hasattr(npformer.layers, box.classes[0]) else npformer.models
    source = source_of(box.classes[0])
    api = []
    for name in box.classes:
        address = f"api/{package.__name__}.html#{package.__name__}.{name}"
        api.append(_link(address, name))
    notebooks = []
    for number in box.notebooks:
        [path] = Path(__file__).parents[1].glob(f"notebooks/{number}_*.ipynb")
        notebooks.append(_link(f"notebooks/{path.stem}.html", number))
    exercises = []
    for id in box.exercises:
        title = course.load(id).title
        exercises.append(_link(f"exercises/{course.stem(id)}.html", title))

    *_, array = box.step.split()
    step = f"step.html#{box.step.replace(' ', '%20')}"
    lines = {
        "Source": _link(source, source.removeprefix("_modules/").partition(".html")[0] + ".py"),
        "API": ", ".join(api),
        "Notebooks": ", ".join(notebooks),
        "Exercises": ", ".join(exercises),
        "Debugger": _link(step, f"at {array}"),
    }
    listed = "".join(f"<dt>{name}</dt><dd>{links}</dd>" for name, links in lines.items())
    return f'<li id="{anchor_of(box)}"><strong>{escape(box.title)}</strong><dl>{listed}</dl></li>\n'


def source_of(name: str) -> str:
    """Return the page with the source of a class of npformer.layers or npformer.models."""
    package = npformer.layers if hasattr(npformer.layers, name) else npformer.models
    module = getattr(package, name).__module__.replace(".", "/")
    return f"_modules/{module}.html#{name}"


def _link(address: str, text: str) -> str:
    return f'<a href="{address}">{escape(text)}</a>'
