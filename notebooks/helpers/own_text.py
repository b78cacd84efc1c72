"""The text, the files and the sentences of the projects of part III, for notebook 25b."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import npformer as npf
from npformer.datasets import phrasebook
from npformer.utils.files import make_folder, read_text, write_atomic
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE, main_color
from npformer_course.scoring import baselines, language_model

from .expected import Expected

BASELINES = ("letter_counts", "small_transformer")
RARE = 20
SEEN = 3_000  # held-out characters that are read in a notebook, to save time
# held-out loss of small_transformer.py on the phrasebook's English, by npformer course score
LOSS_AFTER_60 = 0.578

# in the phrasebook's words, but not made by its rules
HIDDEN = {
    "No dog reads a book.": "Kein Hund liest ein Buch.",
    "The dog does not sleep because the cat sleeps.": (
        "Der Hund schläft nicht, weil die Katze schläft."
    ),
    "I hope that you know that I am tired.": "Ich hoffe, dass du weißt, dass ich müde bin.",
}
PATTERNS = {
    "no after has or have": r"\b(has|have) no\b",
    "no elsewhere": r"(?<!has )(?<!have )\b[Nn]o\b",
    "because it, he, she, ...": r"\bbecause (I|you|it|he|she|we|they)\b",
    "because and a noun": r"\bbecause (?!(I|you|it|he|she|we|they)\b)",
    "that once": r"^(?!.*\bthat\b.*\bthat\b).*\bthat\b",
    "that twice": r"\bthat\b.*\bthat\b",
}


def read(path: str | None) -> str:
    """Return the text of a file, or the phrasebook's English, with a sentence on each line.

    Of a file, characters that come fewer than RARE times are replaced by spaces.
    """
    if path is not None and path is not ...:
        text = read_text(path)
        rare = [ord(character) for character, n in Counter(text).items() if n < RARE]
        return text.translate(dict.fromkeys(rare, " "))
    pairs, _ = phrasebook.split()
    return "\n".join(pair.source for pair in pairs) + "\n"


def expected_cut(text: str) -> Expected:
    """Return the place at which the last tenth of a text begins."""
    return Expected(cut=len(text) * 9 // 10)


def counts_and_ids(learn: str, held_out: str) -> tuple[np.ndarray, np.ndarray]:
    """Return how often each character comes in one text, (V,), and the numbers of another, (N,)."""
    place = {character: i for i, character in enumerate(sorted(set(learn + held_out)))}
    counts = np.bincount([place[character] for character in learn], minlength=len(place))
    return counts, np.array([place[character] for character in held_out])


def expected_loss(counts: np.ndarray, ids: np.ndarray) -> Expected:
    """Return the loss of counts, and what people write in its place."""
    p = counts / counts.sum()
    expected = Expected(of_counts=-np.log(p[ids]).mean())
    entropy = -(p * np.log(np.maximum(p, 1e-9))).sum()
    expected.say(
        "this is the entropy of what was learned from: what is to be predicted?", of_counts=entropy
    )
    in_bits = -np.log2(p[ids]).mean()
    expected.say("this is in bits: which logarithm belongs to nats?", of_counts=in_bits)
    total = -np.log(p[ids]).sum()
    expected.say("this is the loss of all characters together", of_counts=total)
    return expected


def file_or_baseline(path: str | None, name: str) -> Path:
    """Return the path of the learner's file, or that of a baseline."""
    if path is not None and path is not ...:
        return Path(path)
    return Path(inspect.getfile(baselines)).parent / f"{name}.py"


def begin(folder: str, learn: str, held_out: str) -> None:
    """Write both parts of a text and the baselines into a folder; files that are there stay."""
    make_folder(folder)
    files = {"learn.txt": learn, "held_out.txt": held_out}
    for name in BASELINES:
        files[f"{name}.py"] = read_text(file_or_baseline(None, name))
    for name, content in files.items():
        if not Path(folder, name).exists():
            write_atomic(Path(folder, name), content)
    print(f"{folder} has {', '.join(files)}")


def score_here(path: Path, text: str, held_out: str, seconds: float) -> float:
    """Score a file as `npformer course score` does, on the first held-out characters.

    Returns the loss, or a NaN and prints why there is none. Raises `InputError` where the held-out
    text has characters that the other lacks.
    """
    language_model.check_texts(text, held_out)
    score = language_model.score_language_model("you", path, text, held_out[:SEEN], seconds)
    if not score.numbers:
        print(f"{path.name}: {score.problem}")
        return float("nan")
    return score.numbers[0]


def losses_of_counts(text: str, held_out: str, most: int = 5) -> list[float]:
    """Return the held-out losses of counts that know 0, 1, ... `most` characters."""
    n_characters = len(set(text))
    losses = []
    for n in range(most + 1):
        counts: dict[str, int] = {}
        contexts: dict[str, int] = {}
        for i in range(n, len(text)):
            context = text[i - n : i]
            contexts[context] = contexts.get(context, 0) + 1
            gram = context + text[i]
            counts[gram] = counts.get(gram, 0) + 1
        total = 0.0
        for i in range(most, len(held_out)):
            context = held_out[i - n : i]
            times = counts.get(context + held_out[i], 0) + 0.01
            total -= np.log(times / (contexts.get(context, 0) + 0.01 * n_characters))
        losses.append(float(total / (len(held_out) - most)))
    return losses


def show_ladder(knows_nothing: float, counts: Sequence[float], yours: dict[str, float]):
    """Draw losses as bars: what knows nothing, counts, and models by name."""
    names = ["knows nothing"]
    for n in range(len(counts)):
        names.append("counts of characters" if n == 0 else f"counts after {n}")
    names += yours
    values = [knows_nothing, *counts, *yours.values()]
    colors = [ORANGE] * (1 + len(counts)) + [main_color()] * len(yours)
    figure, ax = new_figure(width=7.5, height=0.36 * len(names) + 0.9)
    drawn = ax.barh(names, values, color=colors)
    ax.bar_label(drawn, [f"{value:.2f}" for value in values], padding=3)
    ax.invert_yaxis()
    ax.set(
        xlabel=f"nats per character, first {SEEN:,} held-out characters",
        xlim=(0, 1.15 * max(values)),
    )
    return figure


def translate(*sentences: str) -> list[str]:
    """Return what the translator that ships makes of some sentences."""
    return npf.load("phrasebook").translate(list(sentences))


def mistakes() -> list[str]:
    """Return the sentences in HIDDEN, each with what the translator writes and what is right."""
    lines = []
    for (english, german), written in zip(HIDDEN.items(), translate(*HIDDEN), strict=True):
        lines += [english, f"    writes: {written}", f"    right:  {german}"]
    return lines


def sentences_with(patterns: Mapping[str, str]) -> np.ndarray:
    """Return how many English training sentences of the phrasebook have each pattern."""
    pairs, _ = phrasebook.split()
    counts = []
    for pattern in patterns.values():
        counts.append(sum(bool(re.search(pattern, pair.source)) for pair in pairs))
    return np.array(counts)
