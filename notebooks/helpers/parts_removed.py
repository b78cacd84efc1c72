"""Models without one of their parts, for notebook 17b: how they train, and what they look like.

The task is to write rows of digits in reverse order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

import npformer as npf
from npformer import layers
from npformer.datasets import sequences
from npformer.tasks import Batches, Objective, mean_loss
from npformer.training import Adam, Trainer, WarmupSchedule
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, PINK, main_color

D_MODEL = 32
BATCH_TOKENS = 512
ROW = np.array([[4, 5, 6, 7, 8, 9, 3]])  # (1, 7), six digits and <eos>
BOX_NAMES = ["embedding", "attention 0", "network 0", "attention 1", "network 1"]

Ids = list[int]


class _Nothing(npf.Module):
    """Return the input."""

    def forward(self, x):
        return x

    def backward(self, dy):
        return dy


class _NoResidual(layers.PostNorm):
    """An Add & Norm without the sum, made of the parts of one that has it."""

    def __init__(self, box: layers.PostNorm):
        self.sublayer = box.sublayer
        self.dropout = box.dropout
        self.norm = box.norm

    def forward(self, x, *context):  # (B, T, D)
        return self.norm.forward(self.dropout.forward(self.sublayer.forward(x, *context)))

    def backward(self, dy):  # (B, T, D)
        return self.sublayer.backward(self.dropout.backward(self.norm.backward(dy)))


def fresh_model(
    without: str = "",
    *,
    dropout: float = 0.0,
    norm: str = "post",
    n_encoder_layers: int = 2,
    n_decoder_layers: int = 2,
    factor: float = 1.0,
    seed: int = 0,
) -> npf.Transformer:
    """Return an untrained model without a part, with the same random numbers for all parts.

    Arguments:
        without: "residual", "LayerNorm", "network" or nothing
        dropout: share of the numbers that are left out in training
        norm: "post" or "pre"
        n_encoder_layers: how many layers the encoder has
        n_decoder_layers: how many layers the decoder has
        factor: by which all matrices are multiplied
        seed: of the random numbers
    """
    config = npf.TransformerConfig(
        src_vocab_size=14,
        tgt_vocab_size=14,
        d_model=D_MODEL,
        d_ff=64,
        n_heads=4,
        n_encoder_layers=n_encoder_layers,
        n_decoder_layers=n_decoder_layers,
        dropout=dropout,
        norm=norm,
    )
    model = npf.Transformer(config, rng=seed)
    for name, parameter in model.named_parameters():
        if name.endswith("weight"):
            parameter.data *= factor
    for layer in (*model.encoder.layers, *model.decoder.layers):
        for name, box in layer.members(layers.PostNorm):
            if without == "residual":
                setattr(layer, name, _NoResidual(box))
            elif without == "LayerNorm":
                box.norm = _Nothing()
            elif without == "network" and name == "feed_forward":
                layer.feed_forward = _Nothing()
    return model


def _ids_of(pairs) -> list[tuple[Ids, Ids]]:
    found = []
    for source, target, *_ in pairs:
        source_ids = [4 + int(digit) for digit in source.split()]
        target_ids = [4 + int(digit) for digit in target.split()]
        found.append((source_ids, target_ids))
    return found


def digits() -> tuple[list[tuple[Ids, Ids]], list[tuple[Ids, Ids]]]:
    """Return 2,000 pairs to train on and 200 held out: digits, and the same from the right."""
    train, held_out = sequences.split(
        "reverse", n_train=2000, n_held_out=200, min_length=3, max_length=6
    )
    return _ids_of(train), _ids_of(held_out)


def held_out_losses(model: npf.Transformer, epochs: int, n_pairs: int = 2000) -> np.ndarray:
    """Train on the first pairs, and return the held-out loss after each tenth of the epochs."""
    train, held_out = digits()
    rate = WarmupSchedule.with_peak(5e-3, D_MODEL, 60)
    adam = Adam(model.parameters(), learning_rate=rate)
    batches = Batches(train[:n_pairs], batch_tokens=BATCH_TOKENS)
    trainer = Trainer(Objective(model, label_smoothing=0.0), adam, batches)
    losses = []
    for record in trainer.updates(epochs):
        if record.ends_epoch and record.epoch % max(1, epochs // 10) == 0:
            losses.append(mean_loss(model, Batches(held_out, batch_tokens=BATCH_TOKENS)))
    return np.array(losses)


def vectors_after_layers(model: npf.Transformer) -> list[np.ndarray]:
    """Return the vectors (7, D) of a row: the embeddings, and after each layer of the encoder."""
    with npf.trace(model) as trace:
        model.forward(ROW, ROW)
    names = ["encoder.input_embedding"]
    names += [f"encoder.layers.{n}" for n in range(len(model.encoder.layers))]
    return [trace[name].output[0] for name in names]


def sizes_after_boxes(model: npf.Transformer) -> np.ndarray:
    """Return the standard deviation of the embeddings, and after each box of two layers (5,)."""
    with npf.trace(model) as trace:
        model.forward(ROW, ROW)
    names = ["encoder.input_embedding"]
    for n in range(2):
        names += [f"encoder.layers.{n}.self_attention", f"encoder.layers.{n}.feed_forward"]
    return np.array([trace[name].output.std() for name in names])


def cosines_between(x: np.ndarray) -> np.ndarray:
    """Return the cosine of each two rows of x (T, D), (T, T)."""
    norms = np.linalg.norm(x, axis=-1)
    return x @ x.T / np.outer(norms, norms)


def mean_of_pairs(matrix: np.ndarray) -> float:
    """Return the mean of a matrix (T, T) without its diagonal."""
    return float(matrix[~np.eye(len(matrix), dtype=bool)].mean())


def growth_of(sizes: np.ndarray) -> float:
    """Return the mean factor from one size to the next."""
    return float(np.exp(np.diff(np.log(sizes)).mean()))


def learn_exclusive_or(layer: npf.Module, steps: int = 1000, rate: float = 0.05) -> np.ndarray:
    """Train x + layer(x) to answer exclusive or for 00, 01, 10 and 11; return its answers (4,).

    A text is one position of eight features: two bits and six ones. The answer is in feature 2.
    """
    bits = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    answers = np.array([0.0, 1, 1, 0])
    x = np.concatenate([bits, np.ones((4, 6))], axis=-1)[:, None]  # (4, 1, 8)
    for _ in range(steps):
        layer.zero_grad()
        result = (x + layer.forward(x))[:, 0, 2]
        dy = np.zeros_like(x)
        dy[:, 0, 2] = 2 * (result - answers) / 4  # of the mean of squares
        layer.backward(dy)
        for parameter in layer.parameters():
            parameter.data -= rate * parameter.grad
    return result


def show_curves(curves: Mapping[str, np.ndarray], epochs: Sequence[int]):
    """Draw losses on held-out pairs, by name, and return the figure."""
    figure, ax = new_figure(width=7, height=3.2)
    looks = zip(
        curves.items(),
        (main_color(), ORANGE, GREEN, PINK, GREY),
        ("o-", "s--", "^-.", "v:", "D--"),
        strict=False,
    )
    for (name, curve), color, style in looks:
        ax.plot(epochs, curve, style, color=color, label=name, markersize=4)
    ax.set(xlabel="epoch", ylabel="loss on held-out pairs (nats)", ylim=(0, None))
    ax.legend()
    return figure


def show_alike(alike: Mapping[str, Sequence[float]]):
    """Draw the mean cosine of two positions after each layer, by model, and return the figure."""
    figure, ax = new_figure(width=7, height=3)
    looks = zip(alike.items(), (main_color(), ORANGE, GREEN), ("o-", "s--", "^-."), strict=True)
    for (name, cosines), color, style in looks:
        ax.plot(range(len(cosines)), cosines, style, color=color, label=name, markersize=4)
    ax.set(xlabel="layers passed", ylabel="mean cosine of two positions", ylim=(None, 1.05))
    ax.legend()
    return figure


def show_sizes(sizes: Mapping[str, np.ndarray]):
    """Draw the standard deviation after each box, by model, and return the figure."""
    figure, ax = new_figure(width=7, height=2.8)
    looks = zip(sizes.items(), (main_color(), ORANGE), ("o-", "s--"), strict=True)
    for (name, values), color, style in looks:
        ax.plot(range(len(values)), values, style, color=color, label=name)
        for place, value in enumerate(values):
            ax.annotate(
                f"{value:.1f}",
                (place, value),
                (0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
    ax.set_xticks(range(len(BOX_NAMES)), BOX_NAMES)
    ax.set(ylabel="standard deviation", yscale="log")
    ax.margins(y=0.2)
    ax.legend()
    return figure
