"""Couplets of the Tang for notebook 24c: well-known ones, and an invented language with rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import npformer as npf
from npformer.datasets import SentencePair
from npformer.tasks import Batches, Objective, TranslationBatch, Translator
from npformer.text import BaseVocabulary, Vocabulary
from npformer.training import Adam, Trainer, WarmupSchedule
from npformer.utils.wrap_methods import wrap_methods
from npformer.visualization.plots import new_figure, plot_attention
from npformer.visualization.plots.colors import ORANGE, main_color

from .couplet_language import KINDS
from .expected import Expected

# a first line, the answer of the model that `npformer train couplets` trains, and the poet's
WELL_KNOWN = """國破山河在 鄉遙水水流 城春草木深
江碧鳥逾白 山明人未黃 山青花欲燃
野曠天低樹 江平月上樓 江清月近人
兩箇黃鸝鳴翠柳 一枝青草濕青苔 一行白鷺上青天
窗含西嶺千秋雪 窗隔南山萬里春 門泊東吳萬里船"""

DOUBLED = "青青河畔草"  # of the Nineteen Old Poems

AGAIN = "again"  # the first character of the line once more
PATTERNS = (
    ("color", "nature", "motion", "side", "place"),
    ("number", "animal", AGAIN, "nature", "motion"),
)
kind_of: dict[str, str] = {}
gloss_of: dict[str, str] = {}
for _kind, _characters in KINDS.items():
    for _character, _gloss in _characters.items():
        kind_of[_character] = _kind
        gloss_of[_character] = _gloss


def well_known() -> list[list[str]]:
    """Return five rows: a first line, the model's answer and the poet's."""
    return [row.split() for row in WELL_KNOWN.splitlines()]


def lines_and_answers() -> list[tuple[str, str]]:
    """Return the lines with their answers, and an older one with a right and a wrong answer."""
    pairs = []
    for line, answer, _ in well_known():
        pairs.append((line, answer))
    return [*pairs, (DOUBLED, "鬱鬱園中柳"), (DOUBLED, "園鬱鬱中柳")]


def rule_4() -> Expected:
    """Return what a notebook expects of `kept`: which of `lines_and_answers` keep rule 4."""
    pairs = lines_and_answers()
    kept = []
    for line, answer in pairs:
        kept.append([line.index(a) for a in line] == [answer.index(a) for a in answer])
    expected = Expected(kept=kept)
    as_often = [len(set(line)) == len(set(answer)) for line, answer in pairs]
    expected.say("an answer that repeats at other places is taken for right", kept=as_often)
    return expected


def checks_of_five() -> tuple[list[bool], list[bool], list[int]]:
    """Return whether the answers keep rules 1 and 3, and how many characters of the poet's."""
    lengths = []
    changed = []
    same = []
    for line, answer, poet in well_known():
        lengths.append(len(line) == len(answer))
        changed.append(all(a != b for a, b in zip(line, answer, strict=True)))
        same.append(sum(a == b for a, b in zip(answer, poet, strict=True)))
    return lengths, changed, same


def repeats(line: str) -> bool:
    """Return whether a line has a character twice."""
    return len(set(line)) < len(line)


def allowed(character: str) -> list[str]:
    """Return what may answer a character: the others of its kind."""
    return [other for other in KINDS[kind_of[character]] if other != character]


def _couplet(rng: np.random.Generator) -> SentencePair:
    """Draw a first line and one of its right answers."""
    first = ""
    second = ""
    for kind in PATTERNS[rng.integers(len(PATTERNS))]:
        if kind == AGAIN:
            first += first[0]
            second += second[0]
        else:
            first += str(rng.choice(list(KINDS[kind])))
            second += str(rng.choice(allowed(first[-1])))
    return SentencePair(first, second)


def invented() -> tuple[list[SentencePair], list[SentencePair]]:
    """Return couplets to learn from, and others whose first lines are not among them."""
    rng = np.random.default_rng(0)
    pairs = list(dict.fromkeys(_couplet(rng) for _ in range(4000)))
    train = pairs[300:]
    firsts = {pair.source for pair in train}
    test = [pair for pair in pairs[:300] if pair.source not in firsts]
    return train, test


def floor_of(pairs: Sequence[SentencePair]) -> float:
    """Return the smallest expected loss per token: which right character comes is chance."""
    nats = []
    for pair in pairs:
        for place, character in enumerate(pair.source):
            is_free = place != 2 or not repeats(pair.source)
            nats.append(np.log(len(allowed(character))) if is_free else 0.0)
        nats.append(0.0)  # the end
    return float(np.mean(nats))


def trained(train: Sequence[SentencePair]) -> tuple[Translator, list[float]]:
    """Train a model of one layer on each side; return it and the loss of each update."""
    lines = [line for pair in train for line in pair[:2]]
    vocabulary = Vocabulary.build(lines, tokenizer="character")
    config = npf.TransformerConfig.tiny(
        src_vocab_size=len(vocabulary),
        tgt_vocab_size=len(vocabulary),
        n_encoder_layers=1,
        n_decoder_layers=1,
        max_len=16,
        dropout=0.0,
        positions="learned",
    )
    model = npf.Transformer(config, rng=0)
    schedule = WarmupSchedule.with_peak(0.007, config.d_model, 100)
    adam = Adam(model.parameters(), learning_rate=schedule)
    batches = Batches(encoded(vocabulary, train), batch_tokens=1024)
    losses = []
    for record in Trainer(Objective(model, label_smoothing=0.0), adam, batches).updates(9):
        losses.append(record.loss)
    return Translator(model.eval(), vocabulary, vocabulary), losses


def encoded(vocabulary: BaseVocabulary, pairs: Sequence[SentencePair]):
    """Return the ids of both lines of each couplet."""
    return [(vocabulary.encode(pair.source), vocabulary.encode(pair.target)) for pair in pairs]


def show_lines(pairs: Sequence[SentencePair]) -> list[str]:
    """Return couplets with an English word for each character."""
    lines = []
    for pair in pairs:
        for line in pair[:2]:
            lines.append(f"{line}  {' '.join(gloss_of[character] for character in line)}")
    return lines


def show_maps(looked):
    """Draw the largest weight of the heads: of cross-attention, and at the answer's own line."""
    figure, axes = new_figure(1, 2, width=10, height=4)
    written = _numbered(looked.written)
    maps = {
        "at the first line": (looked.cross, looked.source),
        "at its own line": (looked.decoder, looked.read),
    }
    for ax, (title, (weights, keys)) in zip(axes, maps.items(), strict=True):
        plot_attention(ax, weights[0].max(0), written, _numbered(keys), title=title)
    return figure


def _numbered(tokens: Sequence[str]) -> list[str]:
    """Return the place and the English name of each character, which need no Chinese font.

    >>> _numbered(["<bos>", "三", "燕"])
    ['<bos>', '0 three', '1 swallows']
    """
    names = []
    place = 0
    for token in tokens:
        if token not in gloss_of:
            names.append(token)
            continue
        names.append(f"{place} {gloss_of[token]}")
        place += 1
    return names


def show_probabilities(
    found: Mapping[str, Sequence[float]], names: Sequence[str], chances: Sequence[float]
):
    """Draw probabilities in percent, a panel for each: a bar for what is hidden, chance dashed."""
    figure, axes = new_figure(1, len(names), width=10, height=3)
    for place, (ax, name) in enumerate(zip(axes, names, strict=True)):
        values = [100 * row[place] for row in found.values()]
        chance = 100 * chances[place]
        drawn = ax.barh(list(found), values, color=main_color())
        ax.bar_label(drawn, [f"{value:.0f}" for value in values], padding=11)
        if chance < 100:
            ax.axvline(chance, color=ORANGE, linestyle="--")
        ax.invert_yaxis()
        ax.set(xlim=(0, 118), xticks=(0, 50, 100), xlabel="percent")
        ax.set_title(name, fontsize="medium")
        if place:
            ax.set_yticklabels([])
    return figure


def chances(pairs: Sequence[SentencePair]) -> tuple[float, float, float]:
    """Return the three probabilities of one who draws any character of the right kind."""
    shares = []
    for pair in pairs:
        for character in pair.source:
            shares.append(1 / len(KINDS[kind_of[character]]))
    return float(np.mean(shares)), 1 / (len(KINDS["number"]) - 1), 1.0


def keeps_rules(line: str, answer: str) -> list[bool]:
    """Return whether an answer in the invented language keeps rules 1, 2, 3 and 4.

    >>> keeps_rules("一鶴一水落", "三燕三雲去")
    [True, True, True, True]
    """
    pairs = list(zip(line, answer, strict=False))
    return [
        len(answer) == len(line),
        all(kind_of.get(a) == kind_of.get(b) for a, b in pairs),
        all(a != b for a, b in pairs),
        [line.index(a) for a in line] == [answer.index(a) for a in answer],
    ]


def one_cell(row: int, column: int) -> np.ndarray:
    """Return what is hidden (6, 6): one column from one row."""
    hidden = np.zeros((6, 6), dtype=bool)
    hidden[row, column] = True
    return hidden


def own_line(row: int, column: str) -> dict[str, np.ndarray]:
    """Hide one column of the answer's own line, "<bos>" or a place, from a row.

    >>> own_line(2, "<bos>")["own_line"][2].tolist()
    [True, False, False, False, False, False]
    """
    return {"own_line": one_cell(row, 0 if column == "<bos>" else int(column) + 1)}


def first_line(row: int, column: str) -> dict[str, np.ndarray]:
    """Hide one column of the first line, a place or "<eos>", from a row."""
    return {"first_line": one_cell(row, 5 if column == "<eos>" else int(column))}


def expected_masks() -> Expected:
    """Return the two masks that a notebook expects, and what is said of mistakes in them."""
    expected = Expected(answered=np.eye(6, dtype=bool), own_first=one_cell(2, 1))
    expected.say("column 0 of the map on the right is <bos>", own_first=one_cell(2, 0))
    expected.say("this hides place 1 from place 2", own_first=one_cell(2, 2))
    expected.say("this hides from place 1: a row is what is written", own_first=one_cell(1, 2))
    seen = ~np.eye(6, dtype=bool)
    expected.say("this hides all others: True is hidden", answered=seen, own_first=~one_cell(2, 1))
    return expected


def after_hiding(
    translator: Translator,
    pairs: Sequence[SentencePair],
    first_line: np.ndarray | None = None,
    own_line: np.ndarray | None = None,
) -> list[float]:
    """Return three probabilities, with weights hidden where a mask is True.

    Arguments:
        translator: the model of the invented language
        pairs: couplets
        first_line: what cross-attention cannot see (6, 6), or None
        own_line: what the decoder's self-attention cannot see (6, 6), or None
    """
    src, tgt = TranslationBatch.collate(encoded(translator.source, pairs)).inputs  # (B, 6) each
    layer: Any = translator.model.decoder.layers[0]
    hidden_in = (
        (layer.cross_attention.sublayer.attention.softmax, first_line),
        (layer.self_attention.sublayer.attention.softmax, own_line),
    )
    patches = []
    for softmax, hidden in hidden_in:
        if hidden is not None:
            patches.append((softmax, "forward", partial(_masked, hidden)))
    with wrap_methods(patches):
        logits = translator.model.forward(src, tgt)
    exponentials = np.exp(logits - logits.max(-1, keepdims=True))
    p = exponentials / exponentials.sum(-1, keepdims=True)
    return _three_probabilities(translator, p, src, tgt)


def _masked(hidden: np.ndarray, forward, scores: np.ndarray, mask: np.ndarray | None = None):
    """Return the weights of a softmax whose mask hides more."""
    return forward(scores, ~hidden if mask is None else mask & ~hidden)


def _three_probabilities(translator: Translator, p: np.ndarray, src, tgt) -> list[float]:
    """Return three means of what comes next.

    The character of the first line at a place; and of those couplets that repeat at the third
    place, the answer's first character there, and any number.

    Arguments:
        translator: the model with its vocabulary
        p: the probabilities of the next character (B, 6, V)
        src: the first lines (B, 6)
        tgt: the answers after <bos> (B, 6)
    """
    as_in_first_line = np.take_along_axis(p[:, :5], src[:, :5, None], -1)
    repeating = src[:, 0] == src[:, 2]
    third = p[repeating, 2]
    own_first = np.take_along_axis(third, tgt[repeating, 1:2], -1)
    number_ids = [translator.source.ids[character] for character in KINDS["number"]]
    a_number = third[:, number_ids].sum(-1)
    return [float(as_in_first_line.mean()), float(own_first.mean()), float(a_number.mean())]
