"""The Transformer of "Attention Is All You Need" in one file, every gradient by hand.

Vaswani et al. 2017, https://arxiv.org/abs/1706.03762; "section" and "figure" are those
of the paper. This file needs NumPy alone:

    python transformer.py           learns to write strings of digits backward
    python transformer.py --check   compares every gradient with a numeric derivative

How to read it: from top to bottom. A layer is a class with `forward` and, below it,
`backward`. `forward` computes the output y from the input x, and keeps what `backward`
will need. `backward` is given dy, the gradient of the loss with respect to y; it adds
the gradients of the layer's weights to their `grad`, and returns dx, the gradient with
respect to x. Its lines are those of `forward` in reverse order.

Shapes are at the ends of lines: B sentences in a batch, S tokens of a source, T tokens
of a target, D features of a token (d_model), H heads, V tokens in the vocabulary.
"""

import math
import sys
import time

import numpy as np

PAD, BOS, EOS = 0, 1, 2  # fills up short sentences, begins and ends a target


# ---------------------------------------------------------------- weights and layers


class Parameter:
    """An array of weights, and the gradient of the loss with respect to it."""

    def __init__(self, data):
        self.data = data
        self.grad = np.zeros_like(data)


def named_parameters(layer, name=""):
    """Return the parameters of a layer and of those inside it, each once, by name."""
    if isinstance(layer, Parameter):
        return {name: layer}
    parts = getattr(layer, "__dict__", {})
    if isinstance(layer, list):
        parts = dict(enumerate(layer))

    found = {}
    for key, part in parts.items():
        inside = named_parameters(part, f"{name}.{key}".lstrip("."))
        for path, parameter in inside.items():
            if (
                parameter not in found.values()
            ):  # the embeddings' table has several names
                found[path] = parameter
    return found


class Linear:
    """y = x W + b."""

    def __init__(self, n_in, n_out, rng):
        # uniform with variance 2 / (n_in + n_out) (Glorot and Bengio 2010): neither y
        # nor dx is then much larger or smaller than what it is computed from
        limit = math.sqrt(6 / (n_in + n_out))
        self.weight = Parameter(rng.uniform(-limit, limit, (n_in, n_out)))
        self.bias = Parameter(np.zeros(n_out))

    def forward(self, x):  # (B, T, n_in)
        # one product for all positions of all sentences, not one for each sentence
        self.rows = x.reshape(-1, x.shape[-1])  # (B T, n_in)
        y = self.rows @ self.weight.data + self.bias.data  # (B T, n_out)
        return y.reshape(*x.shape[:-1], -1)  # (B, T, n_out)

    def backward(self, dy):  # (B, T, n_out)
        drows = dy.reshape(-1, dy.shape[-1])  # (B T, n_out)
        # all positions used the same W and b: their gradients add up
        self.bias.grad += drows.sum(0)
        self.weight.grad += self.rows.T @ drows
        dx = drows @ self.weight.data.T  # (B T, n_in)
        return dx.reshape(*dy.shape[:-1], -1)  # (B, T, n_in)


class Dropout:
    """In training, set a part p of all numbers to zero, and enlarge the rest (5.4)."""

    training = True  # for all: `Dropout.training = False` ends it

    def __init__(self, p, rng):
        self.p = p
        self.rng = rng

    def forward(self, x):
        self.scale = np.ones((), x.dtype)
        if self.training and self.p > 0:
            kept = self.rng.random(x.shape, np.float32) >= self.p
            self.scale = kept.astype(x.dtype) / (1 - self.p)  # keeps the mean
        return x * self.scale

    def backward(self, dy):
        return dy * self.scale


# ------------------------------------------------------- the boxes of figure 1, left


class Embedding:
    """Input Embedding plus Positional Encoding (3.4, 3.5), with dropout (5.4).

    The table is one Parameter of both embeddings and of the Generator.
    """

    def __init__(self, table, dropout, rng):
        self.table = table  # (V, D)
        self.scale = math.sqrt(table.data.shape[1])
        self.dropout = Dropout(dropout, rng)

    def forward(self, ids):  # (B, T)
        self.ids = ids
        rows = self.table.data[ids] * self.scale  # (B, T, D)
        positions = sinusoids(ids.shape[1], rows.shape[-1]).astype(rows.dtype)  # (T, D)
        return self.dropout.forward(rows + positions)

    def backward(self, dy):  # (B, T, D)
        drows = self.dropout.backward(dy) * self.scale
        np.add.at(self.table.grad, self.ids, drows)  # a token may occur twice


def sinusoids(length, d_model):
    """Return sines and cosines of each position (3.5).

    Attention alone does not see in which order tokens stand; these numbers tell it.
    """
    position = np.arange(length)[:, None]  # (T, 1)
    angle = position / 10000 ** (np.arange(0, d_model, 2) / d_model)  # (T, D/2)
    table = np.empty((length, d_model))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


class MultiHeadAttention:
    """Multi-Head Attention (3.2, figure 2): each token of x reads all tokens of y.

        Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

    H times in parallel, each with d_k = D / H features. In self-attention y is x;
    between encoder and decoder it is the encoder's output. Where the mask is False, a
    token of x must not read a token of y.
    """

    def __init__(self, d_model, n_heads, rng):
        self.n_heads = n_heads
        self.w_query = Linear(d_model, d_model, rng)
        self.w_key = Linear(d_model, d_model, rng)
        self.w_value = Linear(d_model, d_model, rng)
        self.w_output = Linear(d_model, d_model, rng)

    def forward(self, x, y, mask):  # (B, T, D), (B, S, D), (B, 1, T or 1, S)
        self.q = self.split(self.w_query.forward(x))  # (B, H, T, d_k)
        self.k = self.split(self.w_key.forward(y))  # (B, H, S, d_k)
        self.v = self.split(self.w_value.forward(y))  # (B, H, S, d_k)

        # a sum of d_k products has a variance of about d_k; divided by its root, it is
        # of order 1, where the softmax still has a gradient
        scores = self.q @ self.k.swapaxes(2, 3) / math.sqrt(self.q.shape[-1])
        scores = np.where(mask, scores, -np.inf)  # (B, H, T, S)
        self.weights = softmax(scores)
        heads = self.weights @ self.v  # (B, H, T, d_k)
        return self.w_output.forward(self.merge(heads))  # (B, T, D)

    def backward(self, dz):  # (B, T, D)
        dheads = self.split(self.w_output.backward(dz))  # (B, H, T, d_k)
        dv = self.weights.swapaxes(2, 3) @ dheads  # (B, H, S, d_k)
        dweights = dheads @ self.v.swapaxes(2, 3)  # (B, H, T, S)

        # a weight depends on all scores of its row, because the weights sum to one;
        # where the mask is False the weight is 0, and with it the gradient
        mean = (dweights * self.weights).sum(-1, keepdims=True)  # (B, H, T, 1)
        dscores = self.weights * (dweights - mean) / math.sqrt(self.q.shape[-1])
        dq = dscores @ self.k  # (B, H, T, d_k)
        dk = dscores.swapaxes(2, 3) @ self.q  # (B, H, S, d_k)

        dx = self.w_query.backward(self.merge(dq))  # (B, T, D)
        dy = self.w_key.backward(self.merge(dk)) + self.w_value.backward(self.merge(dv))
        return dx, dy  # (B, T, D), (B, S, D)

    def split(self, x):  # (B, T, D)
        batch, length, d_model = x.shape
        heads = x.reshape(batch, length, self.n_heads, d_model // self.n_heads)
        return heads.swapaxes(1, 2)  # (B, H, T, d_k)

    def merge(self, x):  # (B, H, T, d_k)
        batch, n_heads, length, d_k = x.shape
        return x.swapaxes(1, 2).reshape(batch, length, n_heads * d_k)  # (B, T, D)


def softmax(scores):
    """Return exp(scores), divided by their sum over the last axis."""
    # less the maximum, which changes nothing, so that exp does not overflow
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


class FeedForward:
    """Feed Forward (3.3): FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, at each position."""

    def __init__(self, d_model, d_ff, rng):
        self.linear_1 = Linear(d_model, d_ff, rng)
        self.linear_2 = Linear(d_ff, d_model, rng)

    def forward(self, x):  # (B, T, D)
        hidden = self.linear_1.forward(x)  # (B, T, d_ff)
        self.positive = hidden > 0
        return self.linear_2.forward(hidden * self.positive)  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        dhidden = self.linear_2.backward(dy) * self.positive  # (B, T, d_ff)
        return self.linear_1.backward(dhidden)  # (B, T, D)


class AddNorm:
    """Add & Norm: LayerNorm(x + Dropout(z)), where z is what a sub-layer made of x.

    LayerNorm (Ba et al. 2016) gives the features of each token mean 0 and variance 1,
    times a gain, plus a bias.
    """

    def __init__(self, d_model, dropout, rng, eps=1e-6):
        self.dropout = Dropout(dropout, rng)
        self.gain = Parameter(np.ones(d_model))
        self.bias = Parameter(np.zeros(d_model))
        self.eps = eps  # no division by 0 where all features are equal

    def forward(self, x, z):  # (B, T, D), (B, T, D)
        total = x + self.dropout.forward(z)
        centered = total - total.mean(-1, keepdims=True)
        variance = (centered * centered).mean(-1, keepdims=True)  # (B, T, 1)
        self.rstd = 1 / np.sqrt(variance + self.eps)  # (B, T, 1)
        self.xhat = centered * self.rstd
        return self.xhat * self.gain.data + self.bias.data

    def backward(self, dy):  # (B, T, D)
        self.bias.grad += dy.sum((0, 1))
        self.gain.grad += (dy * self.xhat).sum((0, 1))

        # mean and variance depend on every feature: the gradient loses its own mean
        # (through the mean) and its part along xhat (through the variance)
        dxhat = dy * self.gain.data
        mean = dxhat.mean(-1, keepdims=True)  # (B, T, 1)
        along_xhat = (dxhat * self.xhat).mean(-1, keepdims=True)  # (B, T, 1)
        dtotal = self.rstd * (dxhat - mean - self.xhat * along_xhat)
        return dtotal, self.dropout.backward(dtotal)  # dx, dz


class EncoderLayer:
    """The left column of figure 1, which is repeated N times (3.1)."""

    def __init__(self, d_model, n_heads, d_ff, dropout, rng):
        self.self_attention = MultiHeadAttention(d_model, n_heads, rng)
        self.add_norm_1 = AddNorm(d_model, dropout, rng)
        self.feed_forward = FeedForward(d_model, d_ff, rng)
        self.add_norm_2 = AddNorm(d_model, dropout, rng)

    def forward(self, x, mask):  # (B, S, D), (B, 1, 1, S)
        x = self.add_norm_1.forward(x, self.self_attention.forward(x, x, mask))
        return self.add_norm_2.forward(x, self.feed_forward.forward(x))  # (B, S, D)

    def backward(self, dy):  # (B, S, D)
        # x went two ways, past the sub-layer and through it: its gradients add up
        dx, dz = self.add_norm_2.backward(dy)
        dx = dx + self.feed_forward.backward(dz)

        dx, dz = self.add_norm_1.backward(dx)
        dquery, dkey_value = self.self_attention.backward(dz)
        return dx + dquery + dkey_value  # (B, S, D)


# ------------------------------------------------------ the boxes of figure 1, right


class DecoderLayer:
    """The right column of figure 1: it also reads the encoder's output, the memory."""

    def __init__(self, d_model, n_heads, d_ff, dropout, rng):
        self.self_attention = MultiHeadAttention(d_model, n_heads, rng)
        self.add_norm_1 = AddNorm(d_model, dropout, rng)
        self.cross_attention = MultiHeadAttention(d_model, n_heads, rng)
        self.add_norm_2 = AddNorm(d_model, dropout, rng)
        self.feed_forward = FeedForward(d_model, d_ff, rng)
        self.add_norm_3 = AddNorm(d_model, dropout, rng)

    def forward(self, x, mask, memory, memory_mask):
        x = self.add_norm_1.forward(x, self.self_attention.forward(x, x, mask))
        z = self.cross_attention.forward(x, memory, memory_mask)
        x = self.add_norm_2.forward(x, z)
        return self.add_norm_3.forward(x, self.feed_forward.forward(x))  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        dx, dz = self.add_norm_3.backward(dy)
        dx = dx + self.feed_forward.backward(dz)

        dx, dz = self.add_norm_2.backward(dx)
        dquery, dmemory = self.cross_attention.backward(dz)
        dx = dx + dquery

        dx, dz = self.add_norm_1.backward(dx)
        dquery, dkey_value = self.self_attention.backward(dz)
        return dx + dquery + dkey_value, dmemory  # (B, T, D), (B, S, D)


class Generator:
    """The last Linear of figure 1, whose matrix is the table of the embeddings (3.4).

    It returns logits: the softmax above it is part of the loss.
    """

    def __init__(self, table):
        self.table = table  # (V, D)

    def forward(self, x):  # (B, T, D)
        self.x = x
        return x @ self.table.data.T  # (B, T, V)

    def backward(self, dlogits):  # (B, T, V)
        self.table.grad += np.einsum("btv,btd->vd", dlogits, self.x, optimize=True)
        return dlogits @ self.table.data  # (B, T, D)


class Transformer:
    """All of figure 1."""

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, dropout, rng):
        sizes = (d_model, n_heads, d_ff, dropout, rng)
        # rows times sqrt(D) have features of variance 1 in the embeddings
        self.table = Parameter(rng.normal(0, d_model**-0.5, (vocab_size, d_model)))
        self.source_embedding = Embedding(self.table, dropout, rng)
        self.encoder_layers = [EncoderLayer(*sizes) for _ in range(n_layers)]
        self.target_embedding = Embedding(self.table, dropout, rng)
        self.decoder_layers = [DecoderLayer(*sizes) for _ in range(n_layers)]
        self.generator = Generator(self.table)

    def forward(self, src, tgt):  # (B, S), (B, T)
        memory, memory_mask = self.encode(src)
        return self.decode(tgt, memory, memory_mask)  # (B, T, V)

    def encode(self, src):  # (B, S)
        mask = (src != PAD)[:, None, None, :]  # (B, 1, 1, S): nobody reads padding
        x = self.source_embedding.forward(src)  # (B, S, D)
        for layer in self.encoder_layers:
            x = layer.forward(x, mask)
        return x, mask

    def decode(self, tgt, memory, memory_mask):  # (B, T)
        # a position reads those up to its own: the next token is what it has to predict
        length = tgt.shape[1]
        causal = np.tri(length, dtype=bool)  # (T, T)
        mask = causal & (tgt != PAD)[:, None, None, :]  # (B, 1, T, T)
        x = self.target_embedding.forward(tgt)  # (B, T, D)
        for layer in self.decoder_layers:
            x = layer.forward(x, mask, memory, memory_mask)
        return self.generator.forward(x)  # (B, T, V)

    def backward(self, dlogits):  # (B, T, V)
        dx = self.generator.backward(dlogits)  # (B, T, D)
        dmemory = 0
        for layer in reversed(self.decoder_layers):
            dx, dmemory_of_layer = layer.backward(dx)
            dmemory = dmemory + dmemory_of_layer  # every layer has read the same memory
        self.target_embedding.backward(dx)

        dx = dmemory  # (B, S, D)
        for layer in reversed(self.encoder_layers):
            dx = layer.backward(dx)
        self.source_embedding.backward(dx)


# ---------------------------------------------------------------- training (section 5)


class LabelSmoothingLoss:
    """The cross-entropy of q = (1 - eps) onehot + eps / V and the softmax (5.4).

    The mean is over all tokens but padding.
    """

    def __init__(self, eps=0.1):
        self.eps = eps

    def forward(self, logits, targets):  # (B, T, V), (B, T)
        low = self.eps / logits.shape[-1]
        self.q = np.full_like(logits, low)
        np.put_along_axis(self.q, targets[..., None], 1 - self.eps + low, axis=-1)
        # how much each token counts in the mean
        real = (targets != PAD)[..., None]  # (B, T, 1)
        self.share = real.astype(logits.dtype) / int(real.sum())

        # log softmax(z) = z - log(sum exp z); less the maximum exp does not overflow
        z = logits - logits.max(-1, keepdims=True)
        log_p = z - np.log(np.exp(z).sum(-1, keepdims=True))
        self.p = np.exp(log_p)
        return float(-(self.q * log_p * self.share).sum())

    def backward(self):
        return (self.p - self.q) * self.share  # dlogits (B, T, V)

    def floor(self, vocab_size):
        """Return the least possible loss, the entropy of q, which p = q has."""
        low = self.eps / vocab_size
        high = 1 - self.eps + low
        return -high * math.log(high) - (vocab_size - 1) * low * math.log(low)


class Adam:
    """Adam (Kingma and Ba 2015) with the paper's settings and warm-up (5.3)."""

    beta1 = 0.9
    beta2 = 0.98
    eps = 1e-9

    def __init__(self, parameters, d_model, warmup):
        self.parameters = parameters
        self.d_model = d_model
        self.warmup = warmup
        self.n_steps = 0
        self.m = [np.zeros_like(p.data) for p in parameters]
        self.v = [np.zeros_like(p.data) for p in parameters]

    def step(self):
        """Change all weights, and set their gradients to zero."""
        self.n_steps += 1
        n = self.n_steps
        # it grows for `warmup` steps, then falls with the root of their number
        lr = self.d_model**-0.5 * min(n**-0.5, n * self.warmup**-1.5)
        for p, m, v in zip(self.parameters, self.m, self.v, strict=True):
            # running means of the gradient and of its square
            m[...] = self.beta1 * m + (1 - self.beta1) * p.grad
            v[...] = self.beta2 * v + (1 - self.beta2) * p.grad**2
            # both began at 0: what is missing after n steps is divided out
            m_hat = m / (1 - self.beta1**n)
            v_hat = v / (1 - self.beta2**n)
            p.data -= lr * m_hat / (np.sqrt(v_hat) + self.eps)
            p.grad[...] = 0


def greedy_decode(model, src, max_len):  # (B, S)
    """Return the ids of a target for each source, each time the most probable token."""
    memory, memory_mask = model.encode(src)
    tgt = np.full((len(src), 1), BOS)  # (B, 1)
    for _ in range(max_len):
        logits = model.decode(tgt, memory, memory_mask)[:, -1]  # (B, V)
        logits[:, PAD] = -np.inf  # padding is no answer
        tgt = np.concatenate([tgt, logits.argmax(-1)[:, None]], axis=1)
        if (tgt == EOS).any(1).all():
            break

    translations = []
    for ids in tgt[:, 1:].tolist():
        end = ids.index(EOS) if EOS in ids else len(ids)
        translations.append(ids[:end])
    return translations


# ---------------------------------------------------- an example: digits, backward

VOCAB_SIZE = 13  # PAD, BOS, EOS and ten digits


def encode(text):
    return [3 + int(digit) for digit in text]


def decode(ids):
    return "".join(str(i - 3) for i in ids)


def padded(sequences):
    """Return the ids of several sequences as one array (B, T)."""
    ids = np.full((len(sequences), max(map(len, sequences))), PAD)
    for row, sequence in zip(ids, sequences, strict=True):
        row[: len(sequence)] = sequence
    return ids


def make_batch(texts):
    """Return source ids (B, S), what the decoder reads, and what it predicts (B, T).

    It reads the target one place later than it predicts it: after BOS it has to predict
    the first digit, after the last digit EOS.
    """
    sources = [encode(text) for text in texts]
    targets = [source[::-1] for source in sources]
    tgt_in = padded([[BOS, *target] for target in targets])
    tgt_out = padded([[*target, EOS] for target in targets])
    return padded(sources), tgt_in, tgt_out


def random_text(rng):
    return "".join(map(str, rng.integers(10, size=rng.integers(3, 7))))


def train(n_steps=1000):
    """Train a model; print the loss, and how many held-out strings it writes right."""
    rng = np.random.default_rng(0)
    Dropout.training = True
    held_out = [random_text(rng) for _ in range(200)]
    # small, and with half the dropout of the paper's base model
    model = Transformer(VOCAB_SIZE, 64, 4, 128, n_layers=2, dropout=0.05, rng=rng)
    parameters = list(named_parameters(model).values())
    for p in parameters:  # in float32 a step takes half the time
        p.data = p.data.astype(np.float32)
        p.grad = p.grad.astype(np.float32)
    loss = LabelSmoothingLoss(eps=0.1)
    adam = Adam(parameters, d_model=64, warmup=200)

    floor = loss.floor(VOCAB_SIZE)
    print(f"no loss is below {floor:.3f}, because labels are smoothed")

    start = time.perf_counter()
    for step in range(1, n_steps + 1):
        texts = [random_text(rng) for _ in range(64)]
        texts = [text for text in texts if text not in held_out]
        src, tgt_in, tgt_out = make_batch(texts)
        value = loss.forward(model.forward(src, tgt_in), tgt_out)
        model.backward(loss.backward())
        adam.step()
        if step % 100 == 0:
            seconds = time.perf_counter() - start
            print(f"step {step:4}  loss {value:.3f}  {seconds:2.0f} s")

    Dropout.training = False
    src, _, _ = make_batch(held_out)
    n_right = 0
    for text, ids in zip(held_out, greedy_decode(model, src, max_len=10), strict=True):
        n_right += ids == encode(text[::-1])
    print(f"the last held-out string: {text} -> {decode(ids)}")
    print(f"{n_right} of {len(held_out)} held-out strings are right")


def check():
    """Compare every gradient with (loss(w + h) - loss(w - h)) / 2h; print errors."""
    rng = np.random.default_rng(0)
    model = Transformer(VOCAB_SIZE, 8, 2, 12, n_layers=2, dropout=0.1, rng=rng)
    loss = LabelSmoothingLoss(eps=0.1)
    src, tgt_in, tgt_out = make_batch(["2017", "03762", "123"])
    state = rng.bit_generator.state

    def compute_loss():
        rng.bit_generator.state = state  # dropout drops the same numbers
        return loss.forward(model.forward(src, tgt_in), tgt_out)

    compute_loss()
    model.backward(loss.backward())
    h = 1e-5
    largest = 0.0
    for name, p in named_parameters(model).items():
        numeric = np.zeros_like(p.data)
        for i in np.ndindex(p.data.shape):
            weight = p.data[i]
            p.data[i] = weight + h
            above = compute_loss()
            p.data[i] = weight - h
            below = compute_loss()
            p.data[i] = weight
            numeric[i] = (above - below) / (2 * h)
        error = np.abs(p.grad - numeric).max()
        largest = max(largest, error)
        size = np.abs(numeric).max()
        print(f"{name:42} {p.data.shape!s:8} up to {size:.1e}  error {error:.0e}")
    print(f"largest error {largest:.1e}")


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        check()
    else:
        train()
