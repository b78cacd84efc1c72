"""The language model of notebooks 23 and 24: its text, its rivals, its training and its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from npformer import datasets
from npformer.datasets.own_files import first_nine_tenths, read_document
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import Objective, TextChunks, TextGenerator
from npformer.text import Vocabulary
from npformer.training import Adam, CosineSchedule, Trainer
from npformer.utils import InputError
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color
from npformer.visualization.plots.curves import running_mean

from .expected import Expected

N_SPECIAL = 4  # <pad>, <unk>, <bos> and <eos>, which no text has
WINDOW = 64  # how many characters the model reads
SHORTEST = 5000  # characters of a text of one's own
SMALL = {"va": "center", "fontsize": 8}  # names of lines


def english() -> tuple[str, str]:
    """Return the phrasebook's English, to learn from and held out, a sentence a line."""
    train, held_out = datasets.get("english").load("train", "held_out")
    return str(train[0]), str(held_out[0])


def shakespeare() -> tuple[str, str] | None:
    """Return Tiny Shakespeare, to learn from and held out, where it has been downloaded."""
    from npformer.datasets.download import own_folder

    if not own_folder("tinyshakespeare"):
        return None
    train, held_out = datasets.get("shakespeare").load("train", "held_out")
    return str(train[0]), str(held_out[0])


def own(path_or_text: str) -> tuple[str, str]:
    """Return a reader's text, to learn from and the last tenth held out.

    Without one it is Shakespeare's plays, or the phrasebook's English where those are not here.

    Arguments:
        path_or_text: a file, or the text itself

    Raises `InputError` for less than some pages, such as a path without a file.
    """
    if not path_or_text.strip():
        return shakespeare() or english()
    text = path_or_text
    if "\n" not in text and len(text) < 1000 and Path(text).expanduser().is_file():
        text = read_document(Path(text).expanduser())
    if len(text) < SHORTEST:
        raise InputError(
            f"a text that begins with {path_or_text[:40]!r} has {len(text)} characters: expected "
            f"the path of a text file, or a text, of at least {SHORTEST:,} characters"
        )
    return first_nine_tenths(text)


def characters_of(*texts: str) -> Vocabulary:
    """Return the vocabulary of all characters of some texts."""
    return Vocabulary.build(texts, tokenizer="character", running=True)


def shown(text: Sequence[str]) -> list[str]:
    """Return the characters of a text as they are drawn.

    >>> shown("a b")
    ['a', '␣', 'b']
    """
    signs = {" ": "␣", "\n": "↵"}
    return [signs.get(character, character) for character in text]


def new_model(vocabulary: Vocabulary, seed: int = 0) -> LanguageModel:
    """Return the notebooks' model with random parameters."""
    config = LanguageModelConfig(
        vocab_size=len(vocabulary),
        d_model=64,
        d_ff=256,
        n_heads=4,
        n_decoder_layers=2,
        dropout=0.0,
        norm="pre",
        max_len=WINDOW,
    )
    return LanguageModel(config, rng=seed)


def reads_and_predicts(piece: np.ndarray) -> Expected:
    """Return what a model reads of a piece of text, and what it has to predict."""
    expected = Expected(ids=piece[:-1], targets=piece[1:])
    expected.say("it predicts what it has just read", targets=piece[:-1])
    return expected


def count(text: str, n_before: int) -> dict[str, Counter]:
    """Return how often each character came after each piece of n_before characters.

    >>> count("abab", 1)
    {'a': Counter({'b': 2}), 'b': Counter({'a': 1})}
    """
    pieces = Counter(text[t : t + n_before + 1] for t in range(len(text) - n_before))
    counts: dict[str, Counter] = {}
    for piece, times in pieces.items():
        counts.setdefault(piece[:-1], Counter())[piece[-1]] = times
    return counts


def logits_by_counting(
    train: str, held_out: str, n_before: int, vocabulary: Vocabulary
) -> np.ndarray:
    """Return the logits of a model that only counts, at each held-out position but the first few.

    They are logarithms of counts. A hundredth is added to each count, because a probability of 0
    costs an infinite loss.

    Arguments:
        train: the text that it counts in
        held_out: the text that it predicts
        n_before: how many characters it knows
        vocabulary: the characters

    Returns:
        logits, (len(held_out) - n_before, V).
    """
    possible = np.zeros(len(vocabulary))
    possible[N_SPECIAL:] = 0.01
    rows = {}
    for before, counted in count(train, n_before).items():
        row = possible.copy()
        for character, times in counted.items():
            row[vocabulary.ids[character]] += times
        rows[before] = row

    found = []
    for t in range(n_before, len(held_out)):
        found.append(rows.get(held_out[t - n_before : t], possible))
    with np.errstate(divide="ignore"):  # a special token has the probability 0
        return np.log(found)


def train(
    model: LanguageModel,
    vocabulary: Vocabulary,
    text: str,
    n_updates: int,
    after: Mapping[int, Callable[[], None]] | None = None,
) -> list[float]:
    """Train a model on a text; return the loss of each update.

    Its highest learning rate, 0.004, is the best of 0.002, 0.004 and 0.008 by the held-out loss
    after 1,600 updates.

    Arguments:
        model: the model
        vocabulary: its characters
        text: what it learns
        n_updates: how many updates, of 256 characters each
        after: what to do after an update, by its number
    """
    ids = vocabulary.encode(text)
    if len(ids) < 2 * WINDOW:
        raise InputError(f"a text of {len(ids)} characters is too short: expected some pages")
    chunks = TextChunks(ids, length=WINDOW, batch_tokens=256)
    schedule = CosineSchedule(
        0.004, warmup_steps=n_updates // 16, decay_steps=n_updates, final=0.0004
    )
    adam = Adam(model.parameters(), learning_rate=schedule)
    n_epochs = 1 + n_updates // len(chunks)
    losses = []
    for record in Trainer(Objective(model, label_smoothing=0.0), adam, chunks).updates(n_epochs):
        losses.append(record.loss)
        if after and record.step in after:
            model.eval()
            after[record.step]()
            model.train()
        if record.step == n_updates:
            break
    model.eval()
    return losses


def train_with_samples(
    model: LanguageModel,
    vocabulary: Vocabulary,
    text: str,
    after: Sequence[int],
    begin: str = "The ",
    length: int = 70,
) -> tuple[list[float], dict[int, str]]:
    """Train a model until the last of some updates; return losses and what it writes after each."""
    writer = TextGenerator(model, vocabulary)
    samples: dict[int, str] = {}

    def sample(step: int) -> Callable[[], None]:
        def write() -> None:
            written = writer.generate(begin, length, temperature=0.7, rng=0)
            samples[step] = begin + written.replace("\n", " ")

        return write

    sample(0)()
    losses = train(model, vocabulary, text, after[-1], {step: sample(step) for step in after})
    return losses, samples


def show_losses(losses: Sequence[float], rivals: Mapping[str, float], found: float):
    """Draw the losses of a training with those of its rivals, and the held-out losses as bars."""
    figure, (left, right) = new_figure(1, 2, width=10, height=3.6)
    left.plot(losses, color=GREY, alpha=0.35, linewidth=0.8)
    left.plot(running_mean(losses, 32), color=main_color(), linewidth=2)
    for name, loss in rivals.items():
        left.axhline(loss, color=ORANGE, linestyle="--", linewidth=1)
        left.annotate(name, (1.01, loss), xycoords=("axes fraction", "data"), **SMALL)
    left.set(xlabel="update", ylabel="nats per character", ylim=(0, None), title="training loss")

    draw_bars(right, {**rivals, "the model": found})
    right.set(xlabel="nats per character", title="held-out loss")
    return figure


def draw_bars(ax, losses: Mapping[str, float]) -> None:
    """Draw losses by name as bars, the last, which is the model's, in another color."""
    values = list(losses.values())
    colors = [ORANGE] * (len(values) - 1) + [main_color()]
    drawn = ax.barh(list(losses), values, color=colors)
    ax.bar_label(drawn, [f"{value:.2f}" for value in values], padding=3)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1.25 * max(values)))


def show_bits(bits: Mapping[str, float]):
    """Draw the bits per character of some rivals and, last, of a model."""
    figure, ax = new_figure(width=7, height=2)
    draw_bars(ax, bits)
    ax.set(xlabel="bits per character, held out")
    return figure


def show_surprise(text: str, bits: np.ndarray):
    """Draw the surprise of each character but the first; first letters of words are orange."""
    begins = np.array([before in " \n" for before in text[:-1]])
    figure, ax = new_figure(width=10, height=2.8)
    ax.bar(range(len(bits)), bits, color=np.where(begins, ORANGE, main_color()))
    ax.set_xticks(range(len(bits)), shown(text[1:]))
    ax.tick_params(axis="x", length=0)
    title = "orange: the first letter of a word"
    ax.set(ylabel="surprise in bits", xlim=(-0.7, len(bits) - 0.3), title=title)
    return figure
