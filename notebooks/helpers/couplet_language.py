"""An invented language of couplets, and a model that learns to answer, for notebook 24b."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np

import npformer as npf
from npformer.datasets import SentencePair
from npformer.tasks import Batches, Objective, Translator
from npformer.text import Vocabulary
from npformer.training import Adam, Trainer, WarmupSchedule
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, ink, main_color

from .expected import Expected

KINDS = {
    "color": {"紅": "red", "白": "white", "青": "green", "黃": "yellow", "紫": "purple"},
    "nature": {
        "山": "hills",
        "水": "water",
        "雲": "cloud",
        "月": "moon",
        "花": "flowers",
        "雪": "snow",
        "雨": "rain",
    },
    "motion": {
        "飛": "fly",
        "落": "fall",
        "流": "flow",
        "來": "come",
        "去": "go",
        "起": "rise",
    },
    "side": {"東": "east", "西": "west", "南": "south", "北": "north"},
    "place": {"樓": "tower", "門": "gate", "城": "city", "江": "river", "橋": "bridge"},
    "number": {"一": "one", "三": "three", "千": "thousand", "萬": "myriad"},
    "animal": {
        "鳥": "birds",
        "馬": "horses",
        "魚": "fish",
        "鶴": "cranes",
        "鹿": "deer",
        "燕": "swallows",
    },
}
PATTERNS = (
    ("color", "nature", "motion", "side", "place"),
    ("number", "animal", "motion", "color", "nature"),
    ("number", "animal", "motion", "side", "place", "color", "nature"),
)

# a first line, and answers to judge by the rules
FIRST = "白雲落北樓"
TO_JUDGE = ("紅水起東城", "紅水落東城", "青花去西紅", "黃雨飛南門", "水紅起東城")

KIND_OF: dict[str, str] = {}
GLOSS_OF: dict[str, str] = {}
for _kind, _glosses in KINDS.items():
    for _character, _gloss in _glosses.items():
        KIND_OF[_character] = _kind
        GLOSS_OF[_character] = _gloss
CHARACTERS = tuple(KIND_OF)  # 37


def allowed(character: str) -> list[str]:
    """Return what may answer a character: the others of its kind.

    >>> allowed("東")
    ['西', '南', '北']
    """
    return [other for other in KINDS[KIND_OF[character]] if other != character]


def couplets(
    n_drawn: int = 4000, n_test: int = 300
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Draw couplets to learn from, and others for a test, whose first lines are new.

    Couplets that were drawn twice count once.
    """
    rng = np.random.default_rng(0)
    pairs = list(dict.fromkeys(_couplet(rng) for _ in range(n_drawn)))
    training = pairs[n_test:]
    known = {pair.source for pair in training}
    return training, [pair for pair in pairs[:n_test] if pair.source not in known]


def _couplet(rng: np.random.Generator) -> SentencePair:
    """Draw a first line, and for each character one that is allowed."""
    pattern = PATTERNS[rng.integers(len(PATTERNS))]
    first = [str(rng.choice(list(KINDS[kind]))) for kind in pattern]
    second = [str(rng.choice(allowed(character))) for character in first]
    return SentencePair("".join(first), "".join(second))


def gloss(line: str) -> str:
    """Return a line with its meaning.

    >>> gloss("白雲")
    '白雲  white cloud'
    """
    return f"{line}  {' '.join(GLOSS_OF[character] for character in line)}"


def with_glosses(pairs: Sequence[SentencePair]) -> list[str]:
    """Return the lines of some couplets, each with its meaning."""
    lines = []
    for pair in pairs:
        lines += [gloss(pair.source), gloss(pair.target)]
    return lines


def first_line_and_answers() -> list[str]:
    """Return the first line and the five answers that a learner judges, with their meaning."""
    return [gloss(line) for line in (FIRST, *TO_JUDGE)]


def allowed_at(lines: Sequence[str]) -> np.ndarray:
    """Return which characters are right at each place of some first lines.

    They are True in an array (S, 37): the places of all lines after each other, and the characters
    of the language.
    """
    rows = []
    for line in lines:
        for character in line:
            right = allowed(character)
            rows.append([other in right for other in CHARACTERS])
    return np.array(rows)


def expectations(lines: Sequence[str]) -> Expected:
    """Return the lines to write in the notebook, and what is said of mistakes in them."""
    right = allowed_at(lines)
    n_right = right.sum(-1, keepdims=True)
    ends = np.cumsum([len(line) for line in lines])
    of_lines = [np.prod(1 / counts) for counts in np.split(n_right, ends[:-1])]
    expected = Expected(
        q=right / n_right,
        whole=np.mean(of_lines),
        follow=[is_parallel(FIRST, answer) for answer in TO_JUDGE],
    )
    expected.say("its rows do not have the sum 1", q=right)
    expected.say("a character that is not right has a probability too", q=right * 0 + 1 / 37)
    expected.say("the sum 1 is that of all places together", q=right / right.sum())
    return expected


def is_parallel(first: str, second: str) -> bool:
    """Return whether a second line follows the three rules.

    >>> is_parallel("白雲", "紅水"), is_parallel("白雲", "紅雲")
    (True, False)
    """
    if len(first) != len(second):
        return False
    return all(ours in allowed(theirs) for theirs, ours in zip(first, second, strict=True))


def trained_answerer(
    training: Sequence[SentencePair], epochs: int, peak: float = 0.002
) -> tuple[Translator, list[float]]:
    """Train a model of one layer on each side to answer lines, and return it with its losses.

    Arguments:
        training: the couplets to learn from
        epochs: how often it sees each
        peak: the highest learning rate
    """
    lines = [line for pair in training for line in (pair.source, pair.target)]
    vocabulary = Vocabulary.build(lines, tokenizer="character")
    config = npf.TransformerConfig.tiny(
        src_vocab_size=len(vocabulary),
        tgt_vocab_size=len(vocabulary),
        n_encoder_layers=1,
        n_decoder_layers=1,
        dropout=0.0,
        positions="learned",
        max_len=16,
    )
    model = npf.Transformer(config, rng=0)
    schedule = WarmupSchedule.with_peak(peak, config.d_model, 100)
    adam = Adam(model.parameters(), learning_rate=schedule)
    ids = [(vocabulary.encode(pair.source), vocabulary.encode(pair.target)) for pair in training]
    objective = Objective(model, label_smoothing=0.0)
    trainer = Trainer(objective, adam, Batches(ids, batch_tokens=1024))
    losses = [step.loss for step in trainer.updates(epochs)]
    model.eval()
    return Translator(model, vocabulary, vocabulary), losses


def simple_answers(test: Sequence[SentencePair]) -> dict[str, list[str]]:
    """Return answers of three kinds to compare a model with."""
    rng = np.random.default_rng(1)
    copies = []
    others = []
    by_rules = []
    for pair in test:
        copies.append(pair.source)
        rivals = []
        for other in test:
            if len(other.target) == len(pair.target) and other.target != pair.target:
                rivals.append(other.target)
        others.append(str(rng.choice(rivals)))
        drawn = [str(rng.choice(allowed(character))) for character in pair.source]
        by_rules.append("".join(drawn))
    return {
        "copy the first line": copies,
        "another line's answer": others,
        "drawn by the rules": by_rules,
    }


def share_at_place(answers: Sequence[str], references: Sequence[str]) -> float:
    """Return the share of the references' characters that an answer has at the same place."""
    n_same = 0
    for answer, reference in zip(answers, references, strict=True):
        for ours, theirs in zip(answer, reference, strict=False):
            n_same += ours == theirs
    return n_same / sum(len(reference) for reference in references)


def draw_answers(
    at_place: Mapping[str, float],
    parallel: Mapping[str, float],
    ceiling: float,
    n_characters: int,
) -> plt.Figure:
    """Draw two scores of some answers, and the ceiling of the first.

    The first has error bars of two standard errors, of a share of n_characters.
    """
    figure, ax = new_figure(width=8, height=3.4)
    heights = np.arange(len(at_place))
    bars = (
        (at_place, -0.2, ORANGE, "characters as in the reference"),
        (parallel, 0.2, main_color(), "lines that are parallel"),
    )
    for scores, shift, color, label in bars:
        shares = np.array(list(scores.values()))
        errors = 0 * shares
        if scores is at_place:
            errors = 2 * np.sqrt(shares * (1 - shares) / n_characters)
            ax.errorbar(shares, heights + shift, xerr=errors, fmt="none", ecolor=ink(), capsize=3)
        ax.barh(heights + shift, shares, 0.38, color=color, label=label)
        for height, share, error in zip(heights + shift, shares, errors, strict=True):
            ax.annotate(f" {100 * share:.1f}%", (share + error, height), va="center", fontsize=8)
    ax.axvline(ceiling, color=GREY, linestyle="--", label="ceiling of the orange bars")
    ax.set_yticks(heights, list(at_place))
    ax.set(xlabel="share", xlim=(0, 1.12), ylim=(len(heights) - 0.5, -0.5))
    ax.legend(loc="upper right", bbox_to_anchor=(1, 0.72), fontsize=9)
    return figure
