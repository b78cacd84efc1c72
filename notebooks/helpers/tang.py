"""Couplets of the Tang for notebook 24c: well-known ones, and an invented language with rules."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np

import npformer as npf
from npformer.datasets import SentencePair
from npformer.tasks import Batches, Objective, TranslationBatch, Translator
from npformer.text import BaseVocabulary, Vocabulary
from npformer.training import Adam, Trainer, WarmupSchedule
from npformer.visualization.plots import new_figure, plot_attention
from npformer.visualization.plots.colors import ORANGE, main_color
from npformer.visualization.plots.fonts import CJK_FONTS, drawable

from .couplet_language import KINDS
from .expected import Expected

# a first line, the answer of the model that `npformer train couplets` trains, and the poet's
TEN = """國破山河在 鄉遙水水流 城春草木深
白日依山盡 青山隔水流 黃河入海流
千山鳥飛絕 萬里水流流 萬徑人蹤滅
江碧鳥逾白 山明人未黃 山青花欲燃
野曠天低樹 江平月上樓 江清月近人
風急天高猿嘯哀 月明江闊鴈行過 渚清沙白鳥飛迴
兩箇黃鸝鳴翠柳 一枝青草濕青苔 一行白鷺上青天
窗含西嶺千秋雪 窗隔南山萬里春 門泊東吳萬里船
山光悅鳥性 水色養龍心 潭影空人心
漢文有道恩猶薄 楚澤無情意不通 湘水無情弔豈知"""

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
    """Return ten rows: a first line, the model's answer and the poet's."""
    return [row.split() for row in TEN.splitlines()]


def lines_and_answers() -> list[tuple[str, str]]:
    """Return the ten lines with their answers, and an older one with a right and a wrong answer."""
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
    # of characters that no installed font has
    warnings.filterwarnings("ignore", message="Glyph")
    has_chinese = any(font in CJK_FONTS for font in drawable([])[1]["fontfamily"])

    def shown(tokens):
        names = []
        for token in tokens:
            gloss = gloss_of.get(token)
            if gloss is None:
                names.append(token)
            else:
                names.append(f"{token} {gloss}" if has_chinese else gloss)
        return names

    figure, axes = new_figure(1, 2, width=10, height=4)
    written = shown(looked.written)
    maps = {
        "at the first line": (looked.cross, looked.source),
        "at its own line": (looked.decoder, looked.read),
    }
    for ax, (title, (weights, keys)) in zip(axes, maps.items(), strict=True):
        plot_attention(ax, weights[0].max(0), written, shown(keys), title=title)
    return figure


def show_probabilities(
    found: Mapping[str, Sequence[float]], names: Sequence[str], chances: Sequence[float]
):
    """Draw probabilities in percent, a panel for each: a bar for what is hidden, chance dashed."""
    figure, axes = new_figure(1, len(names), width=10, height=2.8)
    for place, (ax, name) in enumerate(zip(axes, names, strict=True)):
        values = [100 * row[place] for row in found.values()]
        chance = 100 * chances[place]
        drawn = ax.barh(list(found), values, color=main_color())
        ax.bar_label(drawn, [f"{value:.0f}" for value in values], padding=3)
        if chance < 100:
            ax.axvline(chance, color=ORANGE, linestyle="--")
        ax.invert_yaxis()
        ax.set(xlim=(0, 1.25 * max([*values, chance])), xticks=[])
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


def inputs(translator: Translator, pairs: Sequence[SentencePair]):
    """Return what a model reads of couplets: the first lines and the answers after <bos>."""
    return TranslationBatch.collate(encoded(translator.source, pairs)).inputs


def three_probabilities(translator: Translator, p: np.ndarray, src, tgt) -> list[float]:
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
