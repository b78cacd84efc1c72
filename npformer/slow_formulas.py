"""The paper's formulas with scalar loops: slow, plain, and sharing no code with the layers."""

import math

import numpy as np


def softmax(scores, allowed):
    """Return the weights of one row; forbidden ones are 0, and so are all when none is allowed."""
    weights = [math.exp(score) if may else 0.0 for score, may in zip(scores, allowed, strict=True)]
    total = sum(weights)
    return [weight / total for weight in weights] if total else weights


def head(query, key, value, mask):
    """Return Attention(Q, K, V) of one head of one sentence.

    query is (T, d_k), key (S, d_k), value (S, d_v).
    """
    rows = []
    for t in range(len(query)):
        scores = [sum(query[t] * key[s]) / math.sqrt(len(key[s])) for s in range(len(key))]
        weights = softmax(scores, mask[t])
        rows.append(sum(weights[s] * value[s] for s in range(len(value))))
    return np.array(rows)


def multi_head(weights, n_heads, query, memory, mask):
    """Return multi-head attention of one sentence: query (T, D), memory (S, D), mask (T, S)."""
    q, k, v = (
        x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]
        for name, x in (("w_query", query), ("w_key", memory), ("w_value", memory))
    )
    d_k, d_v = q.shape[1] // n_heads, v.shape[1] // n_heads
    heads = []
    for i in range(n_heads):
        keys, values = slice(i * d_k, (i + 1) * d_k), slice(i * d_v, (i + 1) * d_v)
        heads.append(head(q[:, keys], k[:, keys], v[:, values], mask))
    return np.concatenate(heads, 1) @ weights["w_output.weight"] + weights["w_output.bias"]


def linear(weight, bias, x):
    """Return x W + b of one sentence: x (T, D), weight (D, F), bias (F,)."""
    d_in, d_out = weight.shape
    return np.array(
        [
            [sum(row[i] * weight[i, j] for i in range(d_in)) + bias[j] for j in range(d_out)]
            for row in x
        ]
    )


def feed_forward(weights, x):
    """Return max(0, x W_1 + b_1) W_2 + b_2 of one sentence."""
    hidden = linear(weights["linear_1.weight"], weights["linear_1.bias"], x)
    hidden = np.where(hidden > 0, hidden, 0)
    return linear(weights["linear_2.weight"], weights["linear_2.bias"], hidden)


def gelu(number):
    """Return x times the share of a normal distribution below x."""
    return number * (1 + math.erf(number / math.sqrt(2))) / 2


def sigmoid(number):
    """Return 1 / (1 + exp(-z))."""
    return 1 / (1 + math.exp(-number))


def silu(number):
    """Return x times its sigmoid, which is of no number that could overflow."""
    e = math.exp(-abs(number))
    return number * (1 if number > 0 else e) / (1 + e)


def swiglu(gate, weight_1, weight_2, x):
    """Return (SiLU(x W) * (x V)) W_2 of one sentence."""
    gates, values = (linear(weight, np.zeros(weight.shape[1]), x) for weight in (gate, weight_1))
    hidden = [
        [silu(g) * v for g, v in zip(*rows, strict=True)]
        for rows in zip(gates, values, strict=True)
    ]
    return linear(weight_2, np.zeros(weight_2.shape[1]), np.array(hidden))


def rotate(x, start):
    """Return x (T, d_k) with each pair of features turned by an angle, from position `start` on."""
    y = np.zeros(x.shape)
    for t, row in enumerate(x):
        for i in range(0, len(row), 2):
            angle = (start + t) / 10000 ** (i / len(row))
            y[t, i] = row[i] * math.cos(angle) - row[i + 1] * math.sin(angle)
            y[t, i + 1] = row[i] * math.sin(angle) + row[i + 1] * math.cos(angle)
    return y


def rms_norm(gain, x, eps):
    """Return the RMSNorm of one sentence (T, D)."""
    return np.array(
        [
            [
                g * z / math.sqrt(sum(n * n for n in row) / len(row) + eps)
                for g, z in zip(gain, row, strict=True)
            ]
            for row in x
        ]
    )


def lstm(weights, x, real, reverse=False):
    """Return all states (T, H) of one sentence x (T, d_in); where a token is not real, zeros."""
    width = len(weights["w_hidden"])
    h, c = [0.0] * width, [0.0] * width
    y = np.zeros((len(x), width))
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        if real[t]:
            sums = (
                x[t] @ weights["w_input.weight"]
                + np.array(h) @ weights["w_hidden"]
                + weights["w_input.bias"]
            )
            for k in range(width):
                let_in, forget, new, give_out = (sums[gate * width + k] for gate in range(4))
                c[k] = sigmoid(forget) * c[k] + sigmoid(let_in) * math.tanh(new)
                h[k] = sigmoid(give_out) * math.tanh(c[k])
            y[t] = h
    return y


def convolution(weights, x, real, dilation, before):
    """Return what each position of one sentence x (T, d_in) makes of its neighbors."""
    y = []
    for t in range(len(x)):
        visible = weights["bias"]
        for j, matrix in enumerate(weights["weight"]):
            s = t - before + j * dilation
            if 0 <= s < len(x) and real[s]:
                visible = visible + x[s] @ matrix
        y.append(visible)
    return np.array(y)


def layer_norm(weights, x, eps=1e-6):
    """Return LayerNorm of one sentence x (T, D)."""
    rows = []
    for row in x:
        mean = sum(row) / len(row)
        variance = sum((number - mean) ** 2 for number in row) / len(row)
        normal = [(number - mean) / math.sqrt(variance + eps) for number in row]
        rows.append(
            [g * n + b for g, n, b in zip(weights["gain"], normal, weights["bias"], strict=True)]
        )
    return np.array(rows)


def position(pos, feature, d_model):
    """Return one entry of the sinusoidal encoding."""
    angle = pos / 10000 ** (2 * (feature // 2) / d_model)
    return math.cos(angle) if feature % 2 else math.sin(angle)


def embed(table, ids):
    """Return sqrt(d_model) times the rows of the ids, plus the sinusoids."""
    d_model = table.shape[1]
    waves = [
        [position(pos, feature, d_model) for feature in range(d_model)] for pos in range(len(ids))
    ]
    return np.array([table[i] * math.sqrt(d_model) for i in ids]) + np.array(waves)


def inside(weights, prefix):
    """Return the weights below a dotted name."""
    return {
        name[len(prefix) + 1 :]: array
        for name, array in weights.items()
        if name.startswith(prefix + ".")
    }


def add_norm(weights, x, sublayer, pre):
    """Return post-norm LayerNorm(x + f(x)), or pre-norm x + f(LayerNorm(x))."""
    if pre:
        return x + sublayer(inside(weights, "sublayer"), layer_norm(inside(weights, "norm"), x))
    return layer_norm(inside(weights, "norm"), x + sublayer(inside(weights, "sublayer"), x))


def stack(weights, x, n_layers, sublayers, pre):
    """Return one column of figure 1; `sublayers` are (name, function of weights and x)."""
    for i in range(n_layers):
        for name, sublayer in sublayers:
            x = add_norm(inside(weights, f"layers.{i}.{name}"), x, sublayer, pre)
    return layer_norm(inside(weights, "norm"), x) if pre else x


def transformer(weights, config, src, tgt):
    """Return the logits (T, V) of one pair of sentences.

    All tables are tied, positions are sinusoidal, and nothing is dropped.
    """
    table, pre, h = (
        weights["encoder.input_embedding.embedding.table"],
        config.norm == "pre",
        config.n_heads,
    )
    source = [[i != config.pad_id for i in src]]
    past = [[j <= t and tgt[j] != config.pad_id for j in range(len(tgt))] for t in range(len(tgt))]

    read = [
        ("self_attention", lambda w, x: multi_head(w, h, x, x, source * len(src))),
        ("feed_forward", feed_forward),
    ]
    encoder = inside(weights, "encoder")
    memory = stack(encoder, embed(table, src), config.n_encoder_layers, read, pre)

    write = [
        ("self_attention", lambda w, x: multi_head(w, h, x, x, past)),
        ("cross_attention", lambda w, x: multi_head(w, h, x, memory, source * len(tgt))),
        ("feed_forward", feed_forward),
    ]
    decoder = inside(weights, "decoder")
    return stack(decoder, embed(table, tgt), config.n_decoder_layers, write, pre) @ table.T


def label_smoothing_loss(logits, targets, eps, pad_id):
    """Return the mean over real tokens of -sum q log p, logits (N, V), targets (N,)."""
    losses = []
    for row, target in zip(logits, targets, strict=True):
        if target != pad_id:
            total = sum(math.exp(logit) for logit in row)
            smoothed = [(1 - eps) * (v == target) + eps / len(row) for v in range(len(row))]
            losses.append(
                -sum(q * math.log(math.exp(z) / total) for q, z in zip(smoothed, row, strict=True))
            )
    return sum(losses) / len(losses) if losses else 0.0


def adam(numbers, gradients, rates, beta1=0.9, beta2=0.98, eps=1e-9):
    """Return each number after one update a rate; gradients[t][i] is that of number i at step t."""
    numbers, m, v = list(numbers), [0.0] * len(numbers), [0.0] * len(numbers)
    for t, rate in enumerate(rates, 1):
        for i, g in enumerate(gradients[t - 1]):
            m[i] = beta1 * m[i] + (1 - beta1) * g
            v[i] = beta2 * v[i] + (1 - beta2) * g * g
            numbers[i] -= rate * (m[i] / (1 - beta1**t)) / (math.sqrt(v[i] / (1 - beta2**t)) + eps)
    return numbers
