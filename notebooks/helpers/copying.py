"""Models that read some letters and then write them again, for notebook 28."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

import npformer as npf
from npformer.layers import LSTM, CrossAttention, Embedding, Linear
from npformer.layers.positional_encoding import sinusoids
from npformer.training import Adam
from npformer.utils import Rng
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, PINK, main_color

from .expected import Expected

D = 64  # features
N_WORDS = 41  # whose gradients are measured
N_LETTERS = 26
MARK = 26  # the id that says: now write
LENGTHS = range(2, 25, 2)
LONGEST = 16  # in training
LEARNING_RATE = 0.004


class OwnLSTM(LSTM):
    """npformer's LSTM whose steps are computed by functions of exercises.

    Arguments:
        step: as `lstm_step`
        backward_step: as `lstm_backward`
        rng: a generator or a seed for the weights
    """

    def __init__(self, step: Callable, backward_step: Callable, rng: Rng = 1):
        super().__init__(D, D, rng=rng)
        self.step = step
        self.backward_step = backward_step

    @property
    def weights(self):
        """The weights of all four vectors: w (D, 4H), u (H, 4H) and b (4H,)."""
        return self.w_input.weight.data, self.w_hidden.data, self.bias.data

    @property
    def bias(self):
        """The bias of all four vectors."""
        assert self.w_input.bias is not None
        return self.w_input.bias

    def forward(self, x, mask=None):  # (B, T, D)
        """Read vectors and return states of the same shape; there is no padding to mask."""
        h = np.zeros(x[:, 0].shape, x.dtype)  # (B, H)
        c = np.zeros_like(h)
        kept = []
        outputs = []
        for t in range(x.shape[1]):
            h_old, c_old = h, c
            h, c, gates = self.step(x[:, t], h_old, c_old, *self.weights)
            kept.append((x[:, t], h_old, c_old, c, gates))
            outputs.append(h)
        return self.remember(np.stack(outputs, 1), kept)  # (B, T, H)

    def backward(self, dy):  # (B, T, H)
        """Return the gradient of what was read."""
        (kept,) = self.recall(dy)
        w, u, _ = self.weights
        dx = np.zeros(dy.shape, dy.dtype)
        dh = np.zeros_like(dy[:, 0])  # (B, H), from later positions
        dc = np.zeros_like(dh)
        for t in reversed(range(dy.shape[1])):
            x, h_old, c_old, c, gates = kept[t]
            dz, dh, dc = self.backward_step(dy[:, t] + dh, dc, gates, c_old, c, u)
            dx[:, t] = dz @ w.T
            self.w_input.weight.grad += x.T @ dz
            self.w_hidden.grad += h_old.T @ dz
            self.bias.grad += dz.sum(0)
        return dx


class Positions(npf.Module):
    """Add positions to what is read and to what is written, counted from 0 both times."""

    def forward(self, x):  # (B, 2n, D)
        """Read vectors and return states of the same shape."""
        n = x.shape[1] // 2
        once = sinusoids(n, x.shape[-1]).astype("float32")  # (n, D)
        return x + np.concatenate([once, once])

    def backward(self, dy):
        """Return the gradient of what was read."""
        return dy


class LeftNeighbor(npf.Module):
    """Add to each letter the letter before it, with its features moved by half of their number."""

    def forward(self, x):  # (B, T, D)
        """Read vectors and return states of the same shape."""
        y = x.copy()
        y[:, 1:] += np.roll(x[:, :-1], x.shape[-1] // 2, -1)
        return y

    def backward(self, dy):
        """Return the gradient of what was read."""
        dx = dy.copy()
        dx[:, :-1] += np.roll(dy[:, 1:], -(dy.shape[-1] // 2), -1)
        return dx


class Copier(npf.Module):
    """A model that reads n letters and a mark, and writes them, with attention or without.

    Arguments:
        layer: what turns the vectors of the letters into states
        attention: whether a step that writes looks at the states of those that read
        rng: a generator for the weights
    """

    def __init__(self, layer: npf.Module, attention: bool, rng: np.random.Generator):
        self.embedding = Embedding(N_LETTERS + 1, D, rng=rng)
        self.layer = layer
        self.attention = CrossAttention(D, 1, rng=rng) if attention else None
        self.w_output = Linear(D, N_LETTERS, rng=rng)

    def forward(self, ids):  # (B, 2n)
        """Return the logits of the letters to write."""
        n = ids.shape[1] // 2
        h = self.layer.forward(self.embedding.forward(ids))  # (B, 2n, D)
        y = h[:, n:]
        if self.attention:
            y = y + self.attention.forward(y, h[:, :n])
        return self.remember(self.w_output.forward(y), h.shape)  # (B, n, 26)

    def backward(self, dlogits):  # (B, n, 26)
        """Send gradients to all parameters."""
        (shape,) = self.recall(dlogits)
        n = dlogits.shape[1]
        dy = self.w_output.backward(dlogits)
        dh = np.zeros(shape, "float32")
        dh[:, n:] = dy
        if self.attention:
            dquery, dmemory = self.attention.backward(dy)
            dh[:, n:] += dquery
            dh[:, :n] += dmemory
        self.embedding.backward(self.layer.backward(dh))


def draw_texts(n_texts: int, n: int, rng: np.random.Generator, reverse: bool = False):
    """Return ids to read (B, 2n), and the letters to write (B, n); no letter comes twice.

    >>> ids, written = draw_texts(1, 3, np.random.default_rng(0))
    >>> ids.tolist(), written.tolist()
    ([[11, 3, 20, 26, 11, 3]], [[11, 3, 20]])
    """
    texts = np.argsort(rng.random((n_texts, N_LETTERS)), 1)[:, :n]
    written = texts[:, ::-1] if reverse else texts
    marks = np.full((n_texts, 1), MARK)
    return np.concatenate([texts, marks, written[:, :-1]], 1), written


def train_copier(
    layer: npf.Module, attention: bool = True, reverse: bool = False, n_updates: int = 200
) -> Copier:
    """Return a model that was trained on texts of 2 to 16 letters.

    Arguments:
        layer: what reads
        attention: whether it may look back
        reverse: whether it has to write the letters in reverse order
        n_updates: how many
    """
    rng = np.random.default_rng(0)
    model = Copier(layer, attention, rng)
    adam = Adam(model.parameters(), learning_rate=LEARNING_RATE)
    for _ in range(n_updates):
        n = int(rng.integers(2, LONGEST + 1))
        ids, texts = draw_texts(32, n, rng, reverse)
        model.zero_grad()
        logits = model.forward(ids)
        p = np.exp(logits - logits.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        model.backward((p - np.eye(N_LETTERS, dtype="float32")[texts]) / texts.size)
        adam.step()
    return model


def shares_right(copier: Copier, lengths: Sequence[int] = LENGTHS, reverse: bool = False):
    """Return which share of the letters is right, for texts of each length."""
    shares = []
    for n in lengths:
        ids, texts = draw_texts(100, n, np.random.default_rng(1), reverse)
        with copier.evaluating():
            written = copier.forward(ids).argmax(-1)
        shares.append(float((written == texts).mean()))
    return np.array(shares)


def attention_of(copier: Copier, ids):
    """Return the weights (T, S) with which a copier looks at the letters of one text."""
    with copier.evaluating(), npf.trace(copier) as trace:
        copier.forward(ids)
    return trace["attention.attention.softmax"].output[0, 0]


def expected_lines() -> Expected:
    """Return the line to write in the notebook, and what is said of a mistake in it."""
    expected = Expected(f=0.1 ** (1 / 40))
    expected.say("after 40 steps it is 0.1 / 40 or less: it is multiplied 40 times", f=0.1 / 40)
    return expected


def gradient_by_distance(
    step: Callable, backward_step: Callable, b_forget: float, attention: bool = False
):
    """Return the gradient's norm (41,) at the word 0, 1, ..., 40 steps before the last.

    Only the last output of an untrained LSTM gets a gradient. With attention the result is the
    last output plus what it takes from all outputs.
    """
    rng = np.random.default_rng(0)
    lstm = OwnLSTM(step, backward_step, rng=rng)
    look = CrossAttention(D, 1, rng=rng)
    lstm.bias.data[D : 2 * D] = b_forget
    h = lstm.forward(rng.standard_normal((1, N_WORDS, D)).astype("float32"))  # (1, T, D)
    dh = np.zeros_like(h)
    dh[:, -1] = rng.standard_normal(D)
    if attention:
        look.forward(h[:, -1:], h)
        dquery, dmemory = look.backward(dh[:, -1:])
        dh += dmemory
        dh[:, -1:] += dquery
    return np.linalg.norm(lstm.backward(dh)[0], axis=-1)[::-1]


def plot_gradients(norms: Mapping[str, np.ndarray]):
    """Draw norms of gradients by distance, a line for each name."""
    figure, ax = new_figure(width=7, height=3.4)
    styles = zip((ORANGE, PINK, GREEN, main_color(), GREY), "osD^v", strict=True)
    for (name, norm), (color, marker) in zip(norms.items(), styles, strict=False):
        ax.semilogy(norm, color=color, linewidth=2, marker=marker, markevery=8, label=name)
    ax.set(xlabel="steps back from the last word", ylabel="norm of the gradient")
    ax.legend(loc="lower left")
    ax.grid(alpha=0.3)
    return figure


def plot_copied(copied: Mapping[str, np.ndarray]):
    """Draw the shares of letters that are right by the number of letters, a line for each name.

    Where lines would lie on each other, each has a marker that leaves those below it in sight.
    """
    figure, ax = new_figure(width=7, height=3.8)
    looks = [
        {"color": PINK, "marker": "v", "markersize": 6},
        {"color": main_color(), "marker": "o", "markersize": 13, "linewidth": 5, "alpha": 0.55},
        {"color": GREEN, "marker": "s", "markersize": 7, "fillstyle": "none"},
        {"color": ORANGE, "marker": ".", "markersize": 7, "linewidth": 1.2},
    ]
    for (name, shares), look in zip(copied.items(), looks, strict=False):
        ax.plot(LENGTHS, 100 * shares, **{"linewidth": 2, **look}, label=name)
    ax.axvline(LONGEST, color=GREY, linestyle=":")
    ax.annotate(
        "longest in training",
        (LONGEST, 2),
        (-4, 0),
        textcoords="offset points",
        color=GREY,
        ha="right",
    )
    ax.set(xlabel="letters to copy", ylabel="% right", ylim=(0, 106))
    ax.grid(alpha=0.3)
    ax.legend(loc="center right", bbox_to_anchor=(1, 0.4))
    return figure
