"""Texts that repeat themselves, and small models that learn to copy them. For notebook 32."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import npformer as npf
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import LanguageModelBatch, Objective
from npformer.training import Adam, CosineSchedule
from npformer.utils.wrap_methods import wrap_methods
from npformer.visualization.plots import new_figure, plot_attention_grid
from npformer.visualization.plots.colors import ORANGE, contrasting, ink, main_color, weight_colors

from .expected import Expected
from .pictures.lines import head_colors

LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST_ID = 4  # ids 0 to 3 are special tokens
LENGTH = 32  # letters that are read; one more is to be predicted
PERIODS = range(8, 17)  # lengths of a segment
N_HEADS = 4
D_K = 16
EVERY = 20  # updates between two looks at a model

# of 0.0025, 0.005 and 0.01 the middle one is best, with three seeds each
PEAK_RATE = 0.005
LAST_RATE = 0.0015


def draw_texts(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return texts that repeat a segment of different letters.

    Returns:
        ids: (n, LENGTH + 1)
        known: (n, LENGTH), True where the next letter is in a later round and can be looked up
    """
    ids = np.zeros((n, LENGTH + 1), dtype=int)
    known = np.zeros((n, LENGTH), dtype=bool)
    for i in range(n):
        period = rng.integers(PERIODS.start, PERIODS.stop)
        segment = rng.permutation(len(LETTERS))[:period]
        ids[i] = np.resize(FIRST_ID + segment, LENGTH + 1)
        # the first letter of the second round is unknown: nothing says that the segment is over
        known[i, period:] = True
    return ids, known


test_ids, test_known = draw_texts(64, np.random.default_rng(100))


def letters(ids: Sequence[int] | np.ndarray) -> str:
    """Return ids as letters, and a dot for what is no letter.

    >>> letters([4, 5, 6, 0])
    'abc·'
    """
    return "".join(LETTERS[i - FIRST_ID] if i >= FIRST_ID else "·" for i in ids)


def repeated(word: str) -> np.ndarray:
    """Return the ids (1, LENGTH + 1) of a word of small letters, repeated.

    >>> letters(repeated("residual")[0])[:12]
    'residualresi'
    """
    ids = [FIRST_ID + LETTERS.index(letter) for letter in word]
    return np.resize(ids, (1, LENGTH + 1))


def best_first_round() -> float:
    """Return the smallest loss possible in the first round, as a mean over texts of all periods.

    After t letters 26 - t are left. From the shortest period on the segment may also be over.
    """
    losses = []
    for period in PERIODS:
        for t in range(1, period + 1):
            p_end = 0.0
            if t >= PERIODS.start:
                p_end = 1 / (PERIODS.stop - t)  # all periods from t on are equally probable
            p_next = p_end if t == period else (1 - p_end) / (len(LETTERS) - t)
            losses.append(-np.log(p_next))
    return float(np.mean(losses))


def expected_best() -> Expected:
    """Return the smallest losses after 1 to 7 different letters, with what else people write."""
    t = np.arange(1, 8)
    n_letters = len(LETTERS)
    expected = Expected(best=np.log(n_letters - t))
    expected.say(
        "after one letter it would be that of 26 choices, and one is gone",
        best=np.log(n_letters - t + 1),
    )
    expected.say("it does not use that no letter comes twice", best=np.full(7, np.log(n_letters)))
    expected.say("a loss is not below 0: what is the sign of ln p?", best=-np.log(n_letters - t))
    expected.say("it is a probability, and the loss is in nats", best=1 / (n_letters - t))
    expected.say("it is in bits", best=np.log2(n_letters - t))
    return expected


def small_model(n_layers: int) -> LanguageModel:
    """Return a pre-norm language model with four heads, width 64 and rotary positions."""
    config = LanguageModelConfig(
        vocab_size=FIRST_ID + len(LETTERS),
        d_model=N_HEADS * D_K,
        d_ff=128,
        n_heads=N_HEADS,
        n_decoder_layers=n_layers,
        max_len=LENGTH,
        dropout=0.0,
        norm="pre",
        positions="rotary",
        tie_embeddings="none",
    )
    return LanguageModel(config, rng=1)


@dataclass
class History:
    """A model, and what was measured at the test texts after every 20 updates of its training.

    Fields:
        model: the model, trained
        updates: when it was measured
        first_round: the loss where the next letter is unknown
        later: the loss where it can be looked up
        weights: the attention weights, (layers, B, H, T, T) each
    """

    model: LanguageModel
    updates: list[int] = field(default_factory=list)
    first_round: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    weights: list[np.ndarray] = field(default_factory=list)

    def look(self, update: int) -> None:
        """Measure the model as it is now."""
        first_round, later = losses(self.model)
        self.updates.append(update)
        self.first_round.append(first_round)
        self.later.append(later)
        self.weights.append(attention_weights(self.model, test_ids[:, :-1]))


def train(n_layers: int, n_updates: int = 280) -> History:
    """Train a model to continue texts, and return what was measured meanwhile."""
    model = small_model(n_layers)
    history = History(model)
    objective = Objective(model, label_smoothing=0.0)
    rates = CosineSchedule(PEAK_RATE, warmup_steps=50, decay_steps=n_updates, final=LAST_RATE)
    adam = Adam(model.parameters(), learning_rate=rates)
    rng = np.random.default_rng(1)
    for update in range(n_updates):
        if update % EVERY == 0:
            history.look(update)
        ids, _ = draw_texts(32, rng)
        batch = LanguageModelBatch(ids[:, :-1], ids[:, 1:])
        model.zero_grad()
        objective.forward(batch, batch.n_tokens)
        objective.backward()
        adam.step()
    history.look(n_updates)
    return history


def probabilities(logits: np.ndarray) -> np.ndarray:
    """Return the softmax of logits (..., V)."""
    powers = np.exp(logits.astype(float) - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def probabilities_of_next(model: LanguageModel, ids: np.ndarray) -> np.ndarray:
    """Return the probability of each next letter (B, T) in texts (B, T + 1)."""
    p = probabilities(model.forward(ids[:, :-1]))
    return np.take_along_axis(p, ids[:, 1:, None], -1)[..., 0]


def losses(model: LanguageModel) -> tuple[float, float]:
    """Return the mean loss at the test texts, in the first round and in later ones."""
    loss = -np.log(probabilities_of_next(model, test_ids))
    return float(loss[~test_known].mean()), float(loss[test_known].mean())


def attention_weights(model: LanguageModel, ids: np.ndarray) -> np.ndarray:
    """Return the attention weights of all layers (layers, B, H, T, T) at ids (B, T)."""
    with npf.trace(model) as trace:
        model.forward(ids)
    weights = []
    for n in range(len(model.decoder.layers)):
        # inside the rotary attention
        name = f"decoder.layers.{n}.self_attention.sublayer.attention.attention.softmax"
        weights.append(trace[name].output)
    return np.array(weights)


@contextmanager
def ablated(model: LanguageModel, layer: int, head: int) -> Iterator[None]:
    """Inside a with block, a head has the same result everywhere: its mean in the test texts."""
    decoder: Any = model.decoder
    output = decoder.layers[layer].self_attention.sublayer.w_output
    of_head = slice(head * D_K, (head + 1) * D_K)
    with npf.trace(model) as trace:
        model.forward(test_ids[:, :-1])
    # W^O reads the results of all heads side by side, (B, T, H d_v)
    results = trace[f"decoder.layers.{layer}.self_attention.sublayer.w_output"].inputs[0]
    mean = results[..., of_head].mean((0, 1))

    def with_mean(plain, merged):
        merged = merged.copy()
        merged[..., of_head] = mean
        return plain(merged)

    with wrap_methods([(output, "forward", with_mean)]):
        yield


def mean_scores(
    weights: np.ndarray, previous_scores: Callable, induction_scores: Callable
) -> tuple[np.ndarray, np.ndarray]:
    """Return both scores of all heads, means over the test texts, (layers, H) each.

    Arguments:
        weights: (layers, B, H, T, T)
        previous_scores: a function of the weights of a text (H, T, T)
        induction_scores: a function of them and of the ids (T,)
    """
    n_layers, n_texts, n_heads = weights.shape[:3]
    previous = np.zeros((n_layers, n_heads))
    inducing = np.zeros((n_layers, n_heads))
    for layer, text in np.ndindex(n_layers, n_texts):
        of_text = weights[layer, text]
        previous[layer] += previous_scores(of_text) / n_texts
        inducing[layer] += induction_scores(of_text, test_ids[text, :-1]) / n_texts
    return previous, inducing


def states(model: LanguageModel, ids: np.ndarray) -> np.ndarray:
    """Return the embedding of a text (T,) and what comes out of each layer, (N, T, D)."""
    with npf.trace(model) as trace:
        model.forward(ids[None])
    found = [trace["decoder.input_embedding"].output[0]]
    for n in range(len(model.decoder.layers)):
        found.append(trace[f"decoder.layers.{n}"].output[0])
    return np.array(found)


def mean_ranks(model: LanguageModel, logit_lens: Callable, ranks: Callable) -> np.ndarray:
    """Return the mean rank of the right letter in later rounds after each layer, (N,).

    Arguments:
        model: the model
        logit_lens: a function of states, gain, bias, eps and table
        ranks: a function of logits (N, T, V) and right ids (T,)
    """
    norm: Any = model.decoder.norm
    table = model.generator.table.data
    found = []
    for ids, known in zip(test_ids, test_known, strict=True):
        read = states(model, ids[:-1])
        logits = logit_lens(read, norm.gain.data, norm.bias.data, norm.eps, table)
        found.append(np.asarray(ranks(logits, ids[1:]))[:, known])
    return np.concatenate(found, axis=1).mean(1)


def equal_weights() -> np.ndarray:
    """Return the weights (1, B, 1, T, T) of a head that looks at all earlier positions equally."""
    weights = np.tril(np.ones((LENGTH, LENGTH))) / np.arange(1, LENGTH + 1)[:, None]
    return np.broadcast_to(weights, (1, len(test_ids), 1, LENGTH, LENGTH))


def show_losses(histories: Mapping[int, History]):
    """Draw the losses of models by their number of layers."""
    figure, ax = new_figure(width=7.5, height=3.3)
    colors = {2: main_color(), 1: ORANGE}
    for n_layers, history in histories.items():
        layers = "1 layer" if n_layers == 1 else f"{n_layers} layers"
        color = colors.get(n_layers, ink())
        ax.plot(
            history.updates,
            history.later,
            color=color,
            linewidth=2,
            label=f"{layers}, later rounds",
        )
        ax.plot(
            history.updates,
            history.first_round,
            color=color,
            linewidth=1.2,
            linestyle="--",
            label=f"{layers}, first round",
        )
    floor = best_first_round()
    ax.axhline(
        floor,
        color=ink(),
        linewidth=1,
        linestyle=":",
        label=f"floor of the first round, {floor:.2f}",
    )
    ax.set(xlabel="update", ylabel="loss (nats per letter)", ylim=(0, 4))
    ax.legend(fontsize="small", loc="lower left")
    return figure


def show_maps(weights: np.ndarray, heads: Sequence[tuple[int, int]], text: int = 0):
    """Draw where heads, each a layer and a number, look in one of the test texts."""
    names = list(letters(test_ids[text, :-1]))
    maps = np.array([weights[layer, text, head] for layer, head in heads])
    figure, axes = new_figure(1, len(heads), width=5 * len(heads), height=5.2)
    plot_attention_grid(axes, maps, names, names)
    for ax, (layer, head) in zip(np.ravel(axes), heads, strict=True):
        ax.set_title(f"layer {layer}, head {head}")
        ax.tick_params(labelsize=9)
        ax.tick_params(axis="x", rotation=0)
    return figure


def show_moments(history: History, previous: np.ndarray, induction: np.ndarray, chance: Sequence):
    """Draw the scores of all heads of a layer over the updates, with the loss.

    Arguments:
        history: of a training
        previous: the previous-token scores of layer 0, (looks, H)
        induction: the induction scores of layer 1, (looks, H)
        chance: both scores of equal weights
    """
    figure, axes = new_figure(1, 2, width=10, height=3.3)
    titles = ("layer 0: previous-token score", "layer 1: induction score")
    for ax, scores, title, by_chance in zip(
        axes, (previous, induction), titles, chance, strict=True
    ):
        for head, color in enumerate(head_colors(N_HEADS)):
            ax.plot(
                history.updates, scores[:, head], color=color, linewidth=2, label=f"head {head}"
            )
        ax.axhline(by_chance, color=ink(), linewidth=1, linestyle="--", label="by chance")
        share = np.array(history.later) / np.log(len(LETTERS))
        ax.plot(
            history.updates, share, color=ink(), linewidth=1.5, linestyle=":", label="loss / ln 26"
        )
        ax.set(xlabel="update", ylabel="score", title=title, ylim=(0, 1.22))
    axes[0].legend(fontsize="small", ncols=3, loc="upper left")
    return figure


def show_lens(logits: np.ndarray, ids: np.ndarray, names: Sequence[str]):
    """Draw what a model would say after each layer, and how probable the right letter is there.

    Arguments:
        logits: (N, T, V), a row per state
        ids: (T + 1,), the text
        names: of the states
    """
    p = probabilities(logits)
    of_right = np.take_along_axis(p, ids[None, 1:, None], -1)[..., 0]  # (N, T)
    said = [letters(row) for row in logits.argmax(-1)]
    figure, ax = new_figure(width=9.5, height=2.3)
    image = ax.imshow(of_right, cmap=weight_colors(ax), vmin=0, vmax=1, aspect="auto")
    for row, column in np.ndindex(of_right.shape):
        is_right = said[row][column] == letters(ids[1:])[column]
        ax.text(
            column,
            row,
            said[row][column],
            ha="center",
            va="center",
            fontsize=10,
            fontweight="bold" if is_right else "normal",
            color=contrasting(image.cmap(image.norm(of_right[row, column]))),
        )
    ax.set_yticks(range(len(names)), names)
    ax.set_xticks(range(len(ids) - 1), list(letters(ids[:-1])))
    ax.set_xlabel("letter that is read")
    figure.colorbar(image, ax=ax, label="p of the next letter", fraction=0.03, pad=0.02)
    return figure
