"""What both libraries are made to compute: each returns host arrays by name, to be compared."""

from itertools import product

import numpy as np

import npformer as npf
from npformer import layers, models
from npformer.backend import to_device, to_host
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import ClassificationBatch, LabelSmoothingLoss, Objective, TextChunks
from npformer.training import Adam, FlatParameters, WarmupSchedule

B, T, S, D, F, H, V = 2, 4, 3, 6, 10, 2, 11
MASK = np.array([[[True, False, True]] * T, [[False] * S] * T])  # (B, T, S), the second sentence fully masked
TARGET_MASK = np.tril(np.ones((T, T), bool))
REAL = np.array([[True, True, False], [True, False, False]])  # (B, S)
TOKENS = np.array([[True] * T, [True, False, True, False]])  # (B, T), which tokens are real
IDS = np.array([[4, 5, 4], [7, 4, 0]])

# name: how it is built from its settings, and what forward takes: shapes of floats, or arrays passed as they are
LAYERS = {
    "Linear": (lambda **k: layers.Linear(D, F, **k), [(B, T, D)]),
    "ReLU": (lambda rng, dtype: layers.ReLU(), [(B, T, D)]),
    "GELU": (lambda rng, dtype: layers.GELU(), [(B, T, D)]),
    "SiLU": (lambda rng, dtype: layers.SiLU(), [(B, T, D)]),
    "Softmax": (lambda rng, dtype: layers.Softmax(), [(B, T, S), MASK]),
    "Dropout": (lambda rng, dtype: layers.Dropout(0.0, rng=rng), [(B, T, D)]),
    "LayerNorm": (lambda rng, dtype: layers.LayerNorm(D, dtype=dtype), [(B, T, D)]),
    "Embedding": (lambda **k: layers.Embedding(V, D, **k), [IDS]),
    "Generator": (lambda **k: layers.Generator(V, D, bias=True, **k), [(B, T, D)]),
    "SinusoidalPositionalEncoding": (
        lambda rng, dtype: layers.SinusoidalPositionalEncoding(D, dtype=dtype),
        [(B, T, D)],
    ),
    "LearnedPositionalEncoding": (lambda **k: layers.LearnedPositionalEncoding(D, **k), [(B, T, D)]),
    "ScaledDotProductAttention": (
        lambda rng, dtype: layers.ScaledDotProductAttention(),
        [(B, T, D), (B, S, D), (B, S, F), MASK],
    ),
    "FlashAttention": (
        lambda rng, dtype: layers.FlashAttention(block=2, causal=True),
        [(B, T, D), (B, T, D), (B, T, F), np.concatenate([MASK, MASK[:, :, :1]], -1)],
    ),
    "LocalAttention": (
        lambda rng, dtype: layers.LocalAttention(1, size=2),
        [(B, T, D), (B, T, D), (B, T, F), TARGET_MASK],
    ),
    "MultiHeadAttention": (
        lambda **k: layers.MultiHeadAttention(D, H, d_k=5, d_v=2, **k),
        [(B, T, D), (B, S, D), (B, S, D), MASK],
    ),
    "SelfAttention": (lambda **k: layers.SelfAttention(D, H, **k), [(B, T, D), TARGET_MASK]),
    "CrossAttention": (lambda **k: layers.CrossAttention(D, H, **k), [(B, T, D), (B, S, D), MASK]),
    "FeedForward": (lambda **k: layers.FeedForward(D, F, **k), [(B, T, D)]),
    "MeanPooling": (lambda rng, dtype: layers.MeanPooling(), [(B, S, D), REAL]),
    "MaxPooling": (lambda rng, dtype: layers.MaxPooling(), [(B, S, D), REAL]),
    "FirstTokenPooling": (lambda rng, dtype: layers.FirstTokenPooling(), [(B, S, D), REAL]),
    "PostNorm": (lambda **k: layers.PostNorm(layers.FeedForward(D, F, **k), D, dropout=0.0, **k), [(B, T, D)]),
    "PreNorm": (lambda **k: layers.PreNorm(layers.FeedForward(D, F, **k), D, dropout=0.0, **k), [(B, T, D)]),
    "LSTM": (lambda **k: layers.LSTM(D, F, **k), [(B, T, D), TOKENS]),
    "BidirectionalLSTM": (lambda **k: layers.BidirectionalLSTM(D, F, **k), [(B, T, D), TOKENS]),
    "Convolution": (lambda **k: layers.Convolution(D, F, width=2, dilation=2, **k), [(B, T, D), TOKENS]),
}
VARIANTS = list(product(("post", "pre"), ("all", "target", "none"), ("sinusoidal", "learned")))
SRC = np.array([[4, 5, 6, 3], [7, 4, 3, 0]])
TGT_IN, TGT_OUT = np.array([[2, 8, 9, 4, 4], [2, 8, 0, 0, 0]]), np.array([[8, 9, 4, 4, 3], [8, 3, 0, 0, 0]])
TEXT_IDS = [4, 5, 6, 4, 7, 8, 9, 4, 5, 10]


def build_layer(name: str, dtype: str, rng: np.random.Generator):
    """Return a layer with random weights of order 1, and its inputs on the device; ids stay on the host."""
    build, inputs = LAYERS[name]
    layer = build(rng=rng, dtype=dtype)
    for p in layer.parameters():
        p.data[...] = to_device(rng.normal(size=p.data.shape))
    inputs = [to_device(rng.normal(size=x).astype(dtype)) if isinstance(x, tuple) else x for x in inputs]
    return layer, [to_device(x) if name != "Embedding" else x for x in inputs]


def run_layer(name: str, dtype: str) -> dict[str, np.ndarray]:
    """Return a layer's output, the gradients of its inputs and those of its parameters."""
    rng = np.random.default_rng(5)
    layer, inputs = build_layer(name, dtype, rng)
    y = layer.forward(*inputs)
    returned = layer.backward(to_device(rng.normal(size=y.shape).astype(dtype)))
    returned = returned if isinstance(returned, tuple) else (returned,)
    found = {"y": y} | {f"dx {i}": dx for i, dx in enumerate(returned) if dx is not None}
    return {key: to_host(array) for key, array in found.items()} | gradients(layer)


def build_model(variant: tuple[str, str, str], dtype: str, dropout: float = 0.0, **settings) -> npf.Transformer:
    norm, tie, positions = variant
    # no attention_bias: the gradient of a key's bias is 0 except for rounding, which Adam would blow up to its step
    # size
    config = npf.TransformerConfig(
        src_vocab_size=V, tgt_vocab_size=V, d_model=D, d_ff=F, n_heads=H, n_encoder_layers=2, n_decoder_layers=2,
        max_len=8, norm=norm, tie=tie, positions=positions, dropout=dropout, attention_dropout=dropout, dtype=dtype,
        attention_bias=False, **settings,
    )  # fmt: skip
    return npf.Transformer(config, rng=np.random.default_rng(0))


def build_classifier(pooling: str, dtype: str, dropout: float = 0.0) -> models.Classifier:
    config = models.ClassifierConfig(
        vocab_size=V, n_classes=3, d_model=D, d_ff=F, n_heads=H, n_encoder_layers=2, max_len=8, pooling=pooling,
        dropout=dropout, dtype=dtype, attention_bias=False,
    )  # fmt: skip
    return models.Classifier(config, rng=np.random.default_rng(0))


def train_classifier(pooling: str, dtype: str) -> dict[str, np.ndarray]:
    """Return the losses, the gradients of the last step, and the weights after it."""
    model = build_classifier(pooling, dtype)
    objective, adam = Objective(model), Adam(FlatParameters(model.parameters()), learning_rate=WarmupSchedule(D, 100))
    losses = []
    for _ in range(3):
        model.zero_grad()
        losses.append(objective.forward(ClassificationBatch(SRC, np.array([2, 0]))))
        objective.backward()
        adam.step()
    return {"losses": np.array(losses)} | gradients(model) | model.state_dict()


def build_language_model(dtype: str, **settings) -> LanguageModel:
    """Return a language model; a key's bias is left out as in `build_model`."""
    sizes = {"d_model": D, "d_ff": F, "n_heads": H, "n_decoder_layers": 2, "max_len": 8, "dropout": 0.0}
    config = LanguageModelConfig(vocab_size=V, dtype=dtype, attention_bias=False, **{**sizes, **settings})
    return LanguageModel(config, rng=np.random.default_rng(0))


def train_on_text(model: LanguageModel, steps: int) -> dict[str, np.ndarray]:
    """Return the losses of a few updates on chunks of a text, the first gradients, and the weights after the last."""
    adam = Adam(FlatParameters(model.parameters()), learning_rate=WarmupSchedule(D, 100))
    objective, losses, first = Objective(model), [], {}
    [batch] = TextChunks(TEXT_IDS, length=4, batch_tokens=99, shuffle=False).epoch(1)
    for _ in range(steps):
        model.zero_grad()
        losses.append(objective.forward(batch))
        objective.backward()
        first = first or gradients(model)
        adam.step()
    return first | {"losses": np.array(losses)} | model.state_dict()


def gradients(module: npf.Module) -> dict[str, np.ndarray]:
    return {f"d {name}": to_host(p.grad).copy() for name, p in module.named_parameters()}


def train(model: npf.Transformer, steps: int) -> dict[str, np.ndarray]:
    """Return the losses, the first step's logits and gradients, and the weights after the last."""
    adam = Adam(FlatParameters(model.parameters()), learning_rate=WarmupSchedule(D, 100))
    criterion = LabelSmoothingLoss(eps=0.1, pad_id=0)
    losses, first = [], {}
    for _ in range(steps):
        model.zero_grad()
        logits = model.forward(SRC, TGT_IN)
        losses.append(criterion.forward(logits, TGT_OUT))
        model.backward(criterion.backward()[0])
        first = first or {"logits": to_host(logits)} | gradients(model)
        adam.step()
    return first | {"losses": np.array(losses)} | model.state_dict()


def compare(one: dict[str, np.ndarray], other: dict[str, np.ndarray], tolerance: float) -> None:
    """Fail unless both hold the same names, types and values, within `tolerance` of each array's largest value."""
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert other[name].dtype == array.dtype, f"{name} is {other[name].dtype}, not {array.dtype}"
        atol = tolerance * max(np.abs(array).max(), 1.0)
        np.testing.assert_allclose(other[name], array, rtol=0, atol=atol, err_msg=name)
