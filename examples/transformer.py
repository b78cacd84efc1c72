"""The Transformer of "Attention Is All You Need" in one file, every gradient by hand.

Vaswani et al. 2017, https://arxiv.org/abs/1706.03762; numbers in parentheses, such as
(5.4), are its sections. This file needs NumPy alone:

    python transformer.py           learns to write digits backward, in a minute
    python transformer.py --check   compares every gradient with a numeric derivative

How to read it: from top to bottom. A layer is a class with `forward` and, below it,
`backward`. `forward` computes the output y from the input x, and keeps what `backward`
will need. `backward` is given dy, the gradient of the loss with respect to y; it adds
the gradients of the layer's weights to their `grad`, and returns dx, the gradient with
respect to x. Its lines are those of `forward` in reverse order.

Shapes are at the ends of lines: B sentences in a batch, S tokens of a source, T tokens
of a target (in layers that both sides have, T is either), D features of a token
(d_model), H heads, V tokens in the vocabulary.

Not from the paper: how weights begin, the biases in attention, greedy decoding in place
of beam search, and the sizes, which are small.
"""

import math
import sys
import time

import numpy as np

PAD, BOS, EOS = 0, 1, 2  # fills up short sentences, begins and ends a target


class Parameter:
    """An array of weights, and the gradient of the loss with respect to it."""

    def __init__(self, data):
        self.data = data
        self.grad = np.zeros_like(data)


class Linear:
    """y = x W + b.

    From y_j = sum_i x_i W_ij + b_j follow dx = dy W^T, dW = x^T dy and db = dy. Every
    product of matrices in this file has its gradients in this way.
    """

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
    """In training, set a fraction p of all numbers to zero, enlarge the rest (5.4)."""

    training = True  # one switch for all dropout: `Dropout.training = False`

    def __init__(self, p, rng):
        self.p = p
        self.rng = rng

    def forward(self, x):
        self.scale = 1
        if self.training:
            kept = self.rng.random(x.shape, np.float32) >= self.p
            self.scale = kept.astype(x.dtype) / (1 - self.p)  # keeps the mean
        return x * self.scale

    def backward(self, dy):
        return dy * self.scale


class Embedding:
    """Input Embedding plus Positional Encoding (3.4, 3.5), with dropout (5.4).

    Both embeddings and the Generator share one table (3.4).
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
        # not +=, which would count a token once that occurs twice
        np.add.at(self.table.grad, self.ids, drows)


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
    """Multi-Head Attention (3.2, figure 2): each token of x looks at the memory.

        Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

    The query of a token of x is compared with the key of each token of the memory; the
    softmax makes weights of the scores, and the result is the mean of the values with
    these weights. This happens H times in parallel, in d_k = D / H features each, so
    that a token can look at several others for different reasons.

    In self-attention the memory is x; between encoder and decoder it is the encoder's
    output. Where the mask is False, a token must not look at another.
    """

    def __init__(self, d_model, n_heads, rng):
        self.n_heads = n_heads
        self.scale = 1 / math.sqrt(d_model // n_heads)
        self.w_query = Linear(d_model, d_model, rng)
        self.w_key = Linear(d_model, d_model, rng)
        self.w_value = Linear(d_model, d_model, rng)
        self.w_output = Linear(d_model, d_model, rng)

    def forward(self, x, memory, mask):  # (B, T, D), (B, S, D), for (B, H, T, S)
        self.q = self.split(self.w_query.forward(x))  # (B, H, T, d_k)
        self.k = self.split(self.w_key.forward(memory))  # (B, H, S, d_k)
        self.v = self.split(self.w_value.forward(memory))  # (B, H, S, d_k)

        # a sum of d_k products of independent features of variance 1 has variance d_k;
        # times the scale it is of order 1, where the softmax still has a gradient
        scores = self.q @ self.k.swapaxes(2, 3) * self.scale  # (B, H, T, S)
        self.weights = softmax(np.where(mask, scores, -np.inf))
        heads = self.weights @ self.v  # (B, H, T, d_k)
        return self.w_output.forward(self.merge(heads))  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        # split and merge only rearrange: each is the backward of the other
        dheads = self.split(self.w_output.backward(dy))  # (B, H, T, d_k)
        dv = self.weights.swapaxes(2, 3) @ dheads  # (B, H, S, d_k)
        dweights = dheads @ self.v.swapaxes(2, 3)  # (B, H, T, S)

        # d weight_i / d score_j = weight_i ([i = j] - weight_j), summed over all i of a
        # row; where the mask is False the weight is 0, and with it the gradient
        mean = (dweights * self.weights).sum(-1, keepdims=True)  # (B, H, T, 1)
        dscores = self.weights * (dweights - mean) * self.scale  # (B, H, T, S)
        dq = dscores @ self.k  # (B, H, T, d_k)
        dk = dscores.swapaxes(2, 3) @ self.q  # (B, H, S, d_k)

        dx = self.w_query.backward(self.merge(dq))  # (B, T, D)
        dkey = self.w_key.backward(self.merge(dk))  # (B, S, D)
        dvalue = self.w_value.backward(self.merge(dv))  # (B, S, D)
        return dx, dkey + dvalue  # dx, dmemory

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

        # d xhat_i / d total_j = rstd ([i = j] - 1 / D - xhat_i xhat_j / D): the second
        # term comes through the mean, the third one through the variance
        dxhat = dy * self.gain.data
        mean = dxhat.mean(-1, keepdims=True)  # (B, T, 1)
        projection = (dxhat * self.xhat).mean(-1, keepdims=True)  # (B, T, 1)
        dtotal = self.rstd * (dxhat - mean - self.xhat * projection)
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
        # x went two ways, past the sub-layer and through it: its gradients add up. In
        # self-attention it was also both x and the memory.
        dx, dz = self.add_norm_2.backward(dy)
        dx = dx + self.feed_forward.backward(dz)

        dx, dz = self.add_norm_1.backward(dx)
        dx_through, dmemory = self.self_attention.backward(dz)
        return dx + dx_through + dmemory  # (B, S, D)


class DecoderLayer:
    """The right column of figure 1: it looks at the encoder's output too."""

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
        dx_through, dmemory = self.cross_attention.backward(dz)
        dx = dx + dx_through

        dx, dz = self.add_norm_1.backward(dx)
        dx_through, dx_as_memory = self.self_attention.backward(dz)
        return dx + dx_through + dx_as_memory, dmemory  # (B, T, D), (B, S, D)


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
        # so that a row times sqrt(D), as in Embedding, has features of variance 1
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
        mask = (src != PAD)[:, None, None, :]  # (B, 1, 1, S): nobody looks at padding
        x = self.source_embedding.forward(src)  # (B, S, D)
        for layer in self.encoder_layers:
            x = layer.forward(x, mask)
        return x, mask

    def decode(self, tgt, memory, memory_mask):  # (B, T)
        # A position looks at those up to its own, because it has to predict the next
        # one: so all positions are trained at once. Padding comes after all tokens, so
        # none of them looks at it.
        mask = np.tri(tgt.shape[1], dtype=bool)  # (T, T)
        x = self.target_embedding.forward(tgt)  # (B, T, D)
        for layer in self.decoder_layers:
            x = layer.forward(x, mask, memory, memory_mask)
        return self.generator.forward(x)  # (B, T, V)

    def backward(self, dlogits):  # (B, T, V)
        dx = self.generator.backward(dlogits)  # (B, T, D)
        dmemory = 0
        for layer in reversed(self.decoder_layers):
            dx, dmemory_of_layer = layer.backward(dx)
            dmemory = dmemory + dmemory_of_layer  # all layers looked at the same memory
        self.target_embedding.backward(dx)

        dx = dmemory  # (B, S, D)
        for layer in reversed(self.encoder_layers):
            dx = layer.backward(dx)
        self.source_embedding.backward(dx)


# ---------------------------------------------------------------- training (section 5)


class LabelSmoothingLoss:
    """The cross-entropy of q and p, where p = softmax(logits) (5.4).

    q = (1 - eps) onehot + eps / V. The mean is over all tokens but padding.
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
        # d log p_i / d logits_j = [i = j] - p_j; q sums to one, so that p - q remains
        return (self.p - self.q) * self.share  # dlogits (B, T, V)

    def floor(self, vocab_size):
        """Return the least possible loss, the entropy of q, which p = q has."""
        low = self.eps / vocab_size
        high = 1 - self.eps + low
        return -high * math.log(high) - (vocab_size - 1) * low * math.log(low)


def named_parameters(part, name=""):
    """Return {name: Parameter} of a layer and all layers inside it, each once."""
    if isinstance(part, Parameter):
        return {name: part}
    inside = getattr(part, "__dict__", {})  # the attributes of a layer
    if isinstance(part, list):
        inside = dict(enumerate(part))

    found = {}
    for key, value in inside.items():
        for path, weight in named_parameters(value, f"{name}.{key}".strip(".")).items():
            if weight not in found.values():  # the table is in several layers
                found[path] = weight
    return found


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
        # it grows for `warmup` steps, then falls as 1 / sqrt(n)
        lr = self.d_model**-0.5 * min(n**-0.5, n * self.warmup**-1.5)
        for p, m, v in zip(self.parameters, self.m, self.v, strict=True):
            # running means of the gradient and of its square
            m[...] = self.beta1 * m + (1 - self.beta1) * p.grad
            v[...] = self.beta2 * v + (1 - self.beta2) * p.grad**2
            # both began at 0 and are too small at first: the division corrects it
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
        logits[:, PAD] = -np.inf  # padding is no token of a sentence
        tgt = np.concatenate([tgt, logits.argmax(-1)[:, None]], axis=1)
        if (tgt == EOS).any(1).all():
            break

    # what follows EOS is cut off
    translations = [[*ids, EOS] for ids in tgt[:, 1:].tolist()]
    return [ids[: ids.index(EOS)] for ids in translations]


# ---------------------------------------------------- an example: digits, backward

VOCAB_SIZE = 13  # PAD, BOS, EOS and the ten digits, whose ids are 3 to 12


def random_digits(rng):
    """Return the ids of 3 to 6 digits."""
    return rng.integers(3, VOCAB_SIZE, size=rng.integers(3, 7)).tolist()


def padded(sentences):
    """Return the ids of sentences as one array (B, T)."""
    ids = np.full((len(sentences), max(map(len, sentences))), PAD)
    for row, sentence in zip(ids, sentences, strict=True):
        row[: len(sentence)] = sentence
    return ids


def make_batch(sources):
    """Return source ids (B, S), what the decoder reads, and what it predicts (B, T).

    It reads the target shifted right, as figure 1 says: after BOS it has to predict the
    first digit, after the last digit EOS.
    """
    tgt_in = padded([[BOS, *source[::-1]] for source in sources])
    tgt_out = padded([[*source[::-1], EOS] for source in sources])
    return padded(sources), tgt_in, tgt_out


def train(n_steps=1000):
    """Train a model; print the loss, and how many held-out sequences are right."""
    rng = np.random.default_rng(0)
    held_out = [random_digits(rng) for _ in range(200)]
    model = Transformer(VOCAB_SIZE, 64, 4, 128, n_layers=2, dropout=0.05, rng=rng)
    parameters = list(named_parameters(model).values())
    for p in parameters:  # in float32 a step takes half the time
        p.data = p.data.astype(np.float32)
        p.grad = p.grad.astype(np.float32)
    loss = LabelSmoothingLoss(eps=0.1)
    adam = Adam(parameters, d_model=64, warmup=200)
    print(f"no loss is below {loss.floor(VOCAB_SIZE):.3f}, because labels are smoothed")

    Dropout.training = True
    start = time.perf_counter()
    for step in range(1, n_steps + 1):
        sources = [random_digits(rng) for _ in range(64)]
        sources = [source for source in sources if source not in held_out]
        src, tgt_in, tgt_out = make_batch(sources)
        value = loss.forward(model.forward(src, tgt_in), tgt_out)
        model.backward(loss.backward())
        adam.step()
        if step % 100 == 0:
            seconds = time.perf_counter() - start
            print(f"step {step:4}  loss {value:.3f}  {seconds:2.0f} s")

    Dropout.training = False
    answers = greedy_decode(model, padded(held_out), max_len=10)
    n_right = 0
    for source, answer in zip(held_out, answers, strict=True):
        n_right += answer == source[::-1]
    print(f"{n_right} of {len(held_out)} held-out sequences are right, for example")
    print(np.array(held_out[0]) - 3, "->", np.array(answers[0]) - 3)


def check(h=1e-5):
    """Compare the gradient of every weight with (loss(w + h) - loss(w - h)) / 2h.

    That of w_key.bias is 0 except for rounding: it shifts all scores of a row alike,
    which the softmax does not see.
    """
    rng = np.random.default_rng(0)
    model = Transformer(VOCAB_SIZE, 8, 2, 12, n_layers=2, dropout=0.1, rng=rng)
    loss = LabelSmoothingLoss(eps=0.1)
    src, tgt_in, tgt_out = make_batch([[5, 3, 4, 10], [3, 6, 10, 9, 5], [4, 5, 6]])
    state = rng.bit_generator.state

    def compute_loss():
        rng.bit_generator.state = state  # all dropout has this rng: it drops the same
        return loss.forward(model.forward(src, tgt_in), tgt_out)

    compute_loss()
    model.backward(loss.backward())
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
        print(f"{name:46} up to {np.abs(numeric).max():.1e}  error {error:.0e}")
    print(f"largest error {largest:.1e}")
    assert largest < 1e-8


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        check()
    else:
        train()
