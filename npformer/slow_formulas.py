"""The paper's formulas with loops over single numbers: slow, plain, without code of the layers.

Everything else is compared with them. Functions take one sentence, not a batch: x is (T, D).
`weights` are the arrays of a layer's state dict, by name.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Weights = Mapping[str, np.ndarray]


def softmax(scores: Sequence[float], allowed: Sequence[bool]) -> list[float]:
    """Return the weights of one row; forbidden ones are 0, and so are all when none is allowed."""
    # a query that may attend to nothing gets zeros, as in the layers
    if not any(allowed):
        return [0.0 for _ in scores]
    # exp of a large score would overflow
    largest = max(score for score, is_allowed in zip(scores, allowed, strict=True) if is_allowed)
    exponentials = []
    for score, is_allowed in zip(scores, allowed, strict=True):
        exponentials.append(math.exp(score - largest) if is_allowed else 0.0)
    total = sum(exponentials)
    return [exponential / total for exponential in exponentials]


def head(query: np.ndarray, key: np.ndarray, value: np.ndarray, mask: Any) -> np.ndarray:
    """Return Attention(Q, K, V) of one head (equation 1).

    query is (T, d_k), key (S, d_k), value (S, d_v), mask (T, S).
    """
    d_k = key.shape[1]
    y = np.zeros((len(query), value.shape[1]))
    for t in range(len(query)):
        scores = []
        for s in range(len(key)):
            product = sum(query[t, i] * key[s, i] for i in range(d_k))
            scores.append(product / math.sqrt(d_k))
        weights = softmax(scores, mask[t])
        for s in range(len(value)):
            y[t] += weights[s] * value[s]
    return y


def multi_head(
    weights: Weights, n_heads: int, query: np.ndarray, memory: np.ndarray, mask: Any
) -> np.ndarray:
    """Return multi-head attention (section 3.2.2): query (T, D), memory (S, D), mask (T, S)."""
    q = linear(weights["w_query.weight"], weights["w_query.bias"], query)
    k = linear(weights["w_key.weight"], weights["w_key.bias"], memory)
    v = linear(weights["w_value.weight"], weights["w_value.bias"], memory)
    d_k = q.shape[1] // n_heads
    d_v = v.shape[1] // n_heads
    heads = []
    for i in range(n_heads):
        keys = slice(i * d_k, (i + 1) * d_k)
        values = slice(i * d_v, (i + 1) * d_v)
        heads.append(head(q[:, keys], k[:, keys], v[:, values], mask))
    joined = np.concatenate(heads, 1)  # (T, H d_v)
    return linear(weights["w_output.weight"], weights["w_output.bias"], joined)


def linear(weight: np.ndarray, bias: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return x W + b: x (T, D), weight (D, F), bias (F,)."""
    d_out = weight.shape[1]
    y = np.zeros((len(x), d_out))
    for t in range(len(x)):
        for j in range(d_out):
            products = [a * b for a, b in zip(x[t], weight[:, j], strict=True)]
            y[t, j] = sum(products) + bias[j]
    return y


def feed_forward(weights: Weights, x: np.ndarray) -> np.ndarray:
    """Return max(0, x W_1 + b_1) W_2 + b_2 (equation 2)."""
    hidden = linear(weights["linear_1.weight"], weights["linear_1.bias"], x)
    for t in range(len(hidden)):
        for j in range(hidden.shape[1]):
            hidden[t, j] = max(hidden[t, j], 0.0)
    return linear(weights["linear_2.weight"], weights["linear_2.bias"], hidden)


def gelu(number: float) -> float:
    """Return x times the share of a normal distribution below x."""
    return number * (1 + math.erf(number / math.sqrt(2))) / 2


def gelu_tanh(number: float) -> float:
    """Return GELU with a tanh in place of the share of the normal distribution."""
    u = math.sqrt(2 / math.pi) * (number + 0.044715 * number**3)
    return 0.5 * number * (1 + math.tanh(u))


def sigmoid(number: float) -> float:
    """Return 1 / (1 + exp(-z))."""
    e = math.exp(-abs(number))  # of a large positive number exp would overflow
    if number > 0:
        return 1 / (1 + e)
    return e / (1 + e)


def silu(number: float) -> float:
    """Return x times its sigmoid."""
    return number * sigmoid(number)


def swiglu(
    gate: np.ndarray, weight_1: np.ndarray, weight_2: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """Return (SiLU(x W) * (x V)) W_2."""
    gates = linear(gate, np.zeros(gate.shape[1]), x)
    values = linear(weight_1, np.zeros(weight_1.shape[1]), x)
    hidden = np.zeros_like(values)
    for t, row in enumerate(values):
        for j, value in enumerate(row):
            hidden[t, j] = silu(gates[t, j]) * value
    return linear(weight_2, np.zeros(weight_2.shape[1]), hidden)


def rotate(x: np.ndarray, start: int, base: float = 10000, pairs: str = "neighbors") -> np.ndarray:
    """Return x (T, d_k) with each pair of features turned by an angle, from a position on."""
    length, d_k = x.shape
    y = np.zeros(x.shape)
    for t in range(length):
        for pair in range(d_k // 2):
            i, j = 2 * pair, 2 * pair + 1
            if pairs == "halves":
                i, j = pair, pair + d_k // 2
            angle = (start + t) / base ** (2 * pair / d_k)
            y[t, i] = x[t, i] * math.cos(angle) - x[t, j] * math.sin(angle)
            y[t, j] = x[t, i] * math.sin(angle) + x[t, j] * math.cos(angle)
    return y


def rms_norm(gain: np.ndarray, x: np.ndarray, eps: float) -> np.ndarray:
    """Return the RMSNorm of x (T, D)."""
    y = np.zeros(x.shape)
    for t, row in enumerate(x):
        mean_square = sum(number * number for number in row) / len(row)
        for i, number in enumerate(row):
            y[t, i] = gain[i] * number / math.sqrt(mean_square + eps)
    return y


def lstm(weights: Weights, x: np.ndarray, real: Any, reverse: bool = False) -> np.ndarray:
    """Return all states (T, H) of x (T, d_in); where a token is not real, zeros."""
    width = len(weights["w_hidden"])
    h = np.zeros(width)
    c = np.zeros(width)
    y = np.zeros((len(x), width))
    positions = list(range(len(x)))
    if reverse:
        positions.reverse()
    for t in positions:
        if not real[t]:
            continue  # the state stays as it is
        sums = x[t] @ weights["w_input.weight"] + h @ weights["w_hidden"] + weights["w_input.bias"]
        for k in range(width):
            input_gate = sigmoid(sums[k])
            forget_gate = sigmoid(sums[width + k])
            new = math.tanh(sums[2 * width + k])
            output_gate = sigmoid(sums[3 * width + k])
            c[k] = forget_gate * c[k] + input_gate * new
            h[k] = output_gate * math.tanh(c[k])
        y[t] = h
    return y


def convolution(
    weights: Weights, x: np.ndarray, real: Any, dilation: int, before: int
) -> np.ndarray:
    """Return what each position of x (T, d_in) makes of its neighbors.

    The first of them is `before` positions before it.
    """
    y = np.zeros((len(x), len(weights["bias"])))
    for t in range(len(x)):
        y[t] = weights["bias"]
        for j, matrix in enumerate(weights["weight"]):
            s = t - before + j * dilation
            if 0 <= s < len(x) and real[s]:
                y[t] += x[s] @ matrix
    return y


def layer_norm(weights: Weights, x: np.ndarray, eps: float = 1e-6) -> np.ndarray:
    """Return LayerNorm of x (T, D)."""
    y = np.zeros(x.shape)
    for t, row in enumerate(x):
        mean = sum(row) / len(row)
        variance = sum((number - mean) ** 2 for number in row) / len(row)
        for i, number in enumerate(row):
            normalized = (number - mean) / math.sqrt(variance + eps)
            y[t, i] = weights["gain"][i] * normalized + weights["bias"][i]
    return y


def position(pos: int, feature: int, d_model: int) -> float:
    """Return one entry of the sinusoidal encoding (section 3.5)."""
    angle = pos / 10000 ** (2 * (feature // 2) / d_model)
    return math.cos(angle) if feature % 2 else math.sin(angle)


def embed(table: np.ndarray, ids: Sequence[int]) -> np.ndarray:
    """Return sqrt(d_model) times the rows of the ids, plus the sinusoids."""
    d_model = table.shape[1]
    y = np.zeros((len(ids), d_model))
    for t, token_id in enumerate(ids):
        for i in range(d_model):
            y[t, i] = table[token_id, i] * math.sqrt(d_model) + position(t, i, d_model)
    return y


def inside(weights: Weights, prefix: str) -> Weights:
    """Return the weights below a dotted name."""
    found = {}
    for name, array in weights.items():
        if name.startswith(f"{prefix}."):
            found[name.removeprefix(f"{prefix}.")] = array
    return found


Sublayer = Callable[[Weights, np.ndarray], np.ndarray]


def add_norm(weights: Weights, x: np.ndarray, sublayer: Sublayer, pre: bool) -> np.ndarray:
    """Return post-norm LayerNorm(x + f(x)), or pre-norm x + f(LayerNorm(x))."""
    norm = inside(weights, "norm")
    sublayer_weights = inside(weights, "sublayer")
    if pre:
        return x + sublayer(sublayer_weights, layer_norm(norm, x))
    return layer_norm(norm, x + sublayer(sublayer_weights, x))


def stack(
    weights: Weights,
    x: np.ndarray,
    n_layers: int,
    sublayers: Sequence[tuple[str, Sublayer]],
    pre: bool,
) -> np.ndarray:
    """Return the encoder's or the decoder's output; a sublayer is its name and function."""
    for i in range(n_layers):
        for name, sublayer in sublayers:
            x = add_norm(inside(weights, f"layers.{i}.{name}"), x, sublayer, pre)
    return layer_norm(inside(weights, "norm"), x) if pre else x


def transformer(
    weights: Weights, config: Any, src: Sequence[int], tgt: Sequence[int]
) -> np.ndarray:
    """Return the logits (T, V) of one pair of sentences.

    All tables are tied, positions are sinusoidal, the activation is ReLU, eps of LayerNorm is 1e-6,
    only pre-norm stacks end in a LayerNorm, and nothing is dropped, whatever the config says.
    """
    table = weights["encoder.input_embedding.embedding.table"]
    pre = config.norm == "pre"
    is_source = [i != config.pad_id for i in src]
    is_target = [i != config.pad_id for i in tgt]
    is_target[0] = True  # the start may be the id of padding, as in Marian
    encoder_mask = [is_source for _ in src]  # (S, S)
    memory_mask = [is_source for _ in tgt]  # (T, S)
    decoder_mask = np.zeros((len(tgt), len(tgt)), bool)
    for t in range(len(tgt)):
        for j in range(t + 1):
            decoder_mask[t, j] = is_target[j]

    def encoder_attention(weights: Weights, x: np.ndarray) -> np.ndarray:
        return multi_head(weights, config.n_heads, x, x, encoder_mask)

    def decoder_attention(weights: Weights, x: np.ndarray) -> np.ndarray:
        return multi_head(weights, config.n_heads, x, x, decoder_mask)

    def cross_attention(weights: Weights, x: np.ndarray) -> np.ndarray:
        return multi_head(weights, config.n_heads, x, memory, memory_mask)

    encoder_sublayers = [("self_attention", encoder_attention), ("feed_forward", feed_forward)]
    decoder_sublayers = [
        ("self_attention", decoder_attention),
        ("cross_attention", cross_attention),
        ("feed_forward", feed_forward),
    ]
    source = embed(table, src)
    memory = stack(
        inside(weights, "encoder"), source, config.n_encoder_layers, encoder_sublayers, pre
    )
    target = embed(table, tgt)
    y = stack(inside(weights, "decoder"), target, config.n_decoder_layers, decoder_sublayers, pre)
    return y @ table.T


def label_smoothing_loss(
    logits: np.ndarray, targets: Sequence[int], eps: float, pad_id: int
) -> float:
    """Return the mean over real tokens of -sum q log p (section 5.4).

    logits is (N, V), targets (N,).
    """
    losses = []
    for row, target in zip(logits, targets, strict=True):
        if target == pad_id:
            continue
        # exp of a large logit would overflow
        largest = max(row)
        total = sum(math.exp(logit - largest) for logit in row)
        loss = 0.0
        for v, logit in enumerate(row):
            q = eps / len(row)
            if v == target:
                q += 1 - eps
            loss -= q * (logit - largest - math.log(total))
        losses.append(loss)
    return sum(losses) / len(losses) if losses else 0.0


def adam(
    numbers: Sequence[float],
    gradients: Sequence[Sequence[float]],
    rates: Sequence[float],
    beta1: float = 0.9,
    beta2: float = 0.98,
    eps: float = 1e-9,
    weight_decay: float = 0.0,
) -> list[float]:
    """Return each number after one update per rate (section 5.3).

    gradients[t][i] is the gradient of number i at the update t. The paper has no weight decay.
    """
    numbers = list(numbers)
    m = [0.0] * len(numbers)
    v = [0.0] * len(numbers)
    for t, rate in enumerate(rates, start=1):
        for i, g in enumerate(gradients[t - 1]):
            m[i] = beta1 * m[i] + (1 - beta1) * g
            v[i] = beta2 * v[i] + (1 - beta2) * g * g
            corrected_m = m[i] / (1 - beta1**t)
            corrected_v = v[i] / (1 - beta2**t)
            numbers[i] -= rate * weight_decay * numbers[i]
            numbers[i] -= rate * corrected_m / (math.sqrt(corrected_v) + eps)
    return numbers
