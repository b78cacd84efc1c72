"""Three checks of what a head of the translator does: look, ablate, patch. For notebook 32d."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import numpy as np

import npformer as npf
from npformer.datasets import SentencePair, phrasebook
from npformer.utils.errors import InputError
from npformer.utils.wrap_methods import wrap_methods
from npformer.visualization.plots import new_figure, plot_attention

from .course_sentence import COLUMNS, CourseSentence

KINDS = ("encoder", "decoder", "cross")
KIND_NAMES = {
    "encoder": "the encoder's self-attention",
    "decoder": "the decoder's self-attention",
    "cross": "the decoder's cross-attention",
}

translator = npf.load("phrasebook")
model = translator.model.eval()
N_LAYERS = model.config.n_encoder_layers  # as many as the decoder has
N_HEADS = model.config.n_heads


class Head(NamedTuple):
    """A head: "encoder", "decoder" or "cross", its layer and its number, both from 0."""

    kind: str
    layer: int
    number: int

    def __str__(self) -> str:
        return f"Head {self.number} of {KIND_NAMES[self.kind]} in layer {self.layer}"


class Example(NamedTuple):
    """A sentence in which a head may do what is claimed.

    Fields:
        source: an English sentence
        other: one that differs in the word that decides, and has as many tokens
        beginning: the German that is written so far
        right: the token that comes next for `source`
        wrong: the token that comes next for `other`
        looks_at: the word that the head should look at: of the source, or of the beginning for the
            decoder's self-attention
        looks_from: the word of the source from which an encoder's head looks; a head of the decoder
            looks from where the next token is written
    """

    source: str
    other: str
    beginning: str
    right: str
    wrong: str
    looks_at: str
    looks_from: str = ""


ALL_HEADS = [
    Head(kind, layer, number)
    for kind in KINDS
    for layer in range(N_LAYERS)
    for number in range(N_HEADS)
]


@cache
def held_out() -> list[SentencePair]:
    """Return the sentences of the phrasebook that the translator has not seen."""
    return phrasebook.split()[1]


def on_and_off(n: int = 24) -> list[Example]:
    """Return sentences of the held-out phrasebook that end in "aus" or "ein", as examples."""
    found = []
    for pair in held_out():
        for word, other, right, wrong in (("off", "on", "aus", "ein"), ("on", "off", "ein", "aus")):
            source = pair.source
            beginning, end, rest = pair.target.rpartition(f" {right}.")
            # "on" of "on Monday" is another word
            verbs = [verb for verb in ("turn", "turns") if f"{verb} {word} " in source]
            if len(verbs) == 1 and end and not rest:
                [verb] = verbs
                swapped = source.replace(f"{verb} {word} ", f"{verb} {other} ")
                found.append(Example(source, swapped, beginning, right, wrong, word, verb))
    return found[:n]


def measure(example: Example, *, source: str | None = None) -> float:
    """Return by how much the logit of the right token exceeds that of the wrong one.

    Above 0 the translator prefers the right token. `source` is another sentence to read.
    """
    logits, right, wrong = logits_and_ids(example, source=source)
    return float(logits[right] - logits[wrong])


def logits_and_ids(example: Example, *, source: str | None = None) -> tuple[np.ndarray, int, int]:
    """Return the logits (V,) of the next token, and the ids of the right and the wrong one."""
    src, tgt = _ids(example, source)
    logits = model.forward(src, tgt)[0, -1]
    return logits, _id_of(example.right), _id_of(example.wrong)


def weight_of(head: Head, example: Example) -> tuple[float, float]:
    """Return the weight of what the head should look at, and by chance: one over the choices."""
    src, tgt = _ids(example)
    seen: list[np.ndarray] = []

    def record(forward, scores, mask=None):
        weights = forward(scores, mask)
        seen.append(weights)
        return weights

    with wrap_methods([(_attention(head).softmax, "forward", record)]):
        model.forward(src, tgt)
    maps = seen[0].reshape(-1, *seen[0].shape[-2:])  # (H, T, S)

    keys = _tokens(translator.target, tgt) if head.kind == "decoder" else _source_tokens(src)
    row = -1
    if head.kind == "encoder":
        row = _place(example.looks_from, keys)
    return float(maps[head.number, row, _place(example.looks_at, keys)]), 1 / len(keys)


def weights_of_both(head: Head, examples: Sequence[Example]) -> np.ndarray:
    """Return a head's weights of the word that decides and of the verb, in each example (n, 2)."""
    rows = []
    for example in examples:
        of_word, _ = weight_of(head, example)
        of_verb, _ = weight_of(head, example._replace(looks_at=example.looks_from))
        rows.append((of_word, of_verb))
    return np.array(rows)


def without(head: Head, example: Example) -> float:
    """Return the measure with the head's result replaced by its mean, the same everywhere."""
    mean = _mean_results(head.kind, head.layer)[head.number]

    def replaced(results):
        results[:, head.number] = mean

    with _changed(head, replaced):
        return measure(example)


def with_result_of_other(head: Head, example: Example) -> float:
    """Return the measure with the head's result taken from a run on the other sentence."""
    results_of_other = _results(head, example, example.other)

    def replaced(results):
        results[:, head.number] = results_of_other[:, head.number]

    with _changed(head, replaced):
        return measure(example)


def look(head: Head, examples: Sequence[Example]) -> float:
    """Say how much a head looks at what it should look at; return the mean weight."""
    pairs = np.array([weight_of(head, example) for example in examples])
    weight, chance = pairs.mean(0)
    _say(
        f"{head} gives {weight:.2f} of its weight to it, by chance it would be {chance:.2f}. "
        "This shows where the head looks. Not yet: that anything depends on it."
    )
    return float(weight)


def ablate(head: Head, examples: Sequence[Example]) -> float:
    """Say how the measure falls without a head; return the mean change."""
    before = np.mean([measure(example) for example in examples])
    after = np.mean([without(head, example) for example in examples])
    _say(
        f"Without it the measure goes from {before:.1f} to {after:.1f}. This shows whether the "
        "head is needed while all others stay. Not yet: what it passes on. (And where nothing "
        "changes, another head may do the same.)"
    )
    return float(after - before)


def patch(head: Head, examples: Sequence[Example]) -> float:
    """Say how far the head's result from the other sentence moves the measure; return the share."""
    before, after, other = _means_of_patch(head, examples)
    share = share_of_way(before, after, other)
    _say(
        f"With its result from the other sentences the measure goes from {before:.1f} to "
        f"{after:.1f}; the other sentences have {other:.1f}. That is {share:.0%} of the way: so "
        "much of the difference between the two sentences comes through this head."
    )
    return share


def share_of(head: Head, examples: Sequence[Example]) -> float:
    """Return what `patch` does, and say nothing."""
    return share_of_way(*_means_of_patch(head, examples))


def _means_of_patch(head: Head, examples: Sequence[Example]) -> tuple[float, float, float]:
    """Return the mean measure as it is, with a patched head, and with the other sentences."""
    before = np.mean([measure(example) for example in examples])
    after = np.mean([with_result_of_other(head, example) for example in examples])
    other = np.mean([measure(example, source=example.other) for example in examples])
    return float(before), float(after), float(other)


def share_of_way(before: float, after: float, other: float) -> float:
    """Return how far a patch moved the measure: 0 not at all, 1 as far as the other sentence."""
    return float((before - after) / (before - other))


def show_maps(heads: Sequence[Head]):
    """Draw where heads look in the sentence of the course; in the decoder from what is written."""
    sentence = CourseSentence()
    figure, axes = new_figure(1, len(heads), width=4.6 * len(heads), height=4.4)
    for ax, head in zip(np.atleast_1d(axes), heads, strict=True):
        box = "cross_attention" if head.kind == "cross" else "self_attention"
        stack = "encoder" if head.kind == "encoder" else "decoder"
        weights = sentence.attention(f"{stack}.layers.{head.layer}.{box}")["weights"]
        rows = sentence.source_tokens if head.kind == "encoder" else sentence.target_tokens
        columns = sentence.read_tokens if head.kind == "decoder" else sentence.source_tokens
        title = f"{head.kind} {head.layer}, head {head.number}"
        plot_attention(ax, weights[head.number], rows, columns, title=title)
    return figure


def show_table(shares: np.ndarray, title: str):
    """Draw a share for each head: (6, H), rows as in `row_names`."""
    figure, ax = new_figure(width=5.4, height=3.4)
    ax.imshow(shares, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
    for row, column in np.ndindex(shares.shape):
        share = round(float(shares[row, column]), 2) + 0.0  # no -0.00
        color = "white" if abs(share) > 0.6 else "black"
        ax.text(column, row, f"{share:.2f}", ha="center", va="center", color=color)
    ax.set_yticks(range(len(shares)), row_names())
    ax.set_xticks(range(N_HEADS))
    ax.set(xlabel="head", title=title)
    return figure


def row_names() -> list[str]:
    """Return the names of the six attentions, in the order of `ALL_HEADS`."""
    return [f"{kind} {layer}" for kind in KINDS for layer in range(N_LAYERS)]


def table_of(values: Sequence[float]) -> np.ndarray:
    """Return numbers of `ALL_HEADS` with a row for each attention, (6, H)."""
    return np.reshape(values, (-1, N_HEADS))


def _attention(head: Head):
    """Return the attention that has a head. Raises `InputError` for a head that is not there."""
    kind, layer, number = head
    if kind not in KINDS or not 0 <= layer < N_LAYERS or not 0 <= number < N_HEADS:
        raise InputError(
            f"there is no head {tuple(head)}: expected one of {KINDS}, a layer from 0 to "
            f"{N_LAYERS - 1}, and a head from 0 to {N_HEADS - 1}"
        )
    stack = model.encoder if kind == "encoder" else model.decoder
    box = (
        stack.layers[layer].cross_attention
        if kind == "cross"
        else stack.layers[layer].self_attention
    )
    return box.sublayer.attention


def _ids(example: Example, source: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of a source and of the beginning, (1, S) and (1, T)."""
    src = [*translator.source.encode(source or example.source), npf.text.EOS]
    tgt = [npf.text.BOS, *translator.target.encode(example.beginning)]
    return np.array([src]), np.array([tgt])


def _id_of(token: str) -> int:
    if token not in translator.target.ids:
        raise InputError(f"{token!r} is not a token of the translator")
    return translator.target.ids[token]


def _source_tokens(src: np.ndarray) -> list[str]:
    return _tokens(translator.source, src)


def _tokens(vocabulary, ids: np.ndarray) -> list[str]:
    return [vocabulary.tokens[i] for i in ids[0]]


def _place(word: str, tokens: list[str]) -> int:
    """Return where a word is. Raises `InputError` where it is not."""
    folded = [token.lower() for token in tokens]
    if word.lower() not in folded:
        raise InputError(f"{word!r} is not in {' '.join(tokens)!r}: change looks_at or looks_from")
    return folded.index(word.lower())


def _results(head: Head, example: Example, source: str | None = None) -> np.ndarray:
    """Return the results of all heads next to a head, (1, H, T, d_v)."""
    src, tgt = _ids(example, source)
    if len(_ids(example)[0][0]) != len(src[0]):
        raise InputError(f"{source!r} has another number of tokens than {example.source!r}")
    kept: list[np.ndarray] = []
    with _changed(head, lambda results: kept.append(results.copy())):
        model.forward(src, tgt)
    return kept[0]


@contextmanager
def _changed(head: Head, change) -> Iterator[None]:
    """Let a function change the results of the heads, (1, H, T, d_v), within this block."""

    def forward(plain, *arrays):
        results = plain(*arrays).copy()
        change(results)
        return results

    with wrap_methods([(_attention(head), "forward", forward)]):
        yield


@cache
def _mean_results(kind: str, layer: int) -> np.ndarray:
    """Return the mean result of each head of an attention in 40 held-out sentences, (H, d_v)."""
    rows = []
    for pair in held_out()[:40]:
        example = Example(pair.source, "", pair.target, "", "", "")
        rows.append(_results(Head(kind, layer, 0), example)[0].swapaxes(0, 1))
    return np.concatenate(rows).mean(0)


def _say(text: str) -> None:
    print(textwrap.fill(text, COLUMNS))
