"""What the texts of parts I and II say is checked: own wrong answers, and right ones."""

import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from tests.run_here import run_here


def report_of(id, code, seed=0):
    """Check an answer: the functions of `code` in place of those that the student gets."""
    exercise = course.load(id)
    return check(case_at(id, seed), f"{exercise.stub}\n\n{code}\n", run_here)


def part_of(report, name):
    return next(part for part in report.parts if part.name == name)


WRONG = [
    # id, part, what the finding says, answer
    (
        "numpy",
        "pick",
        "",
        """
def pick(scores, ids):  # as if the id 0 were padding
    picked = np.take_along_axis(scores, ids[..., None], -1)[..., 0]
    return np.where(ids > 0, picked, 0)
""",
    ),
    (
        "numeric_gradient",
        "dx of tanh(x W)",
        "when all numbers of x are moved together",
        """
def numeric_gradient(f, x, dy, h=1e-5):
    return dy * (f(x + h) - f(x - h)) / (2 * h)
""",
    ),
    (
        "numeric_gradient",
        "dx of one axis",
        "",
        """
def numeric_gradient(f, x, dy, h=1e-5):  # for two axes or more
    dx = np.zeros(x.shape)
    for t, d in np.ndindex(x.shape[0], x.shape[1]):
        step = np.zeros(x.shape)
        step[t, d] = h
        dx[t, d] = np.sum(dy * (f(x + step) - f(x - step))) / (2 * h)
    return dx
""",
    ),
    (
        "numeric_gradient",
        "dx at a transposed x",
        "dx is 0 where x is a transpose",
        """
def numeric_gradient(f, x, dy, h=1e-5):
    flat = x.reshape(-1)
    slopes = []
    for i in range(flat.size):
        kept = flat[i]
        flat[i] = kept + h
        up = np.sum(dy * f(x))
        flat[i] = kept - h
        down = np.sum(dy * f(x))
        flat[i] = kept
        slopes.append((up - down) / (2 * h))
    return np.array(slopes).reshape(x.shape)
""",
    ),
    (
        "numeric_gradient",
        "relative error of tiny gradients",
        "where everything expected is around 1e-9",
        """
def relative_error(got, expected):
    biggest = abs(expected).max()
    difference = abs(got - expected).max()
    return difference / biggest if biggest > 1e-8 else difference
""",
    ),
    (
        "linear",
        "db of two or four axes",
        "a sum over the first two axes of dy",
        """
def linear_backward(dy, x, w):
    dw = np.tensordot(x, dy, (range(x.ndim - 1), range(x.ndim - 1)))
    return dy @ w.T, dw, dy.sum(axis=(0, 1))
""",
    ),
    (
        "linear",
        "y of two or four axes",
        "",
        """
def linear(x, w, b):
    return np.einsum("btd,df->btf", x, w) + b
""",
    ),
    (
        "softmax",
        "y of one axis",
        "",
        """
def softmax(x):
    assert x.ndim > 1
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)
""",
    ),
    (
        "softmax_backward",
        "dx",
        "stands twice in front of the plain sum of dy",
        """
def softmax_backward(dy, y):
    return y * dy - y**2 * dy.sum(axis=-1)[..., None]
""",
    ),
    (
        "masks",
        "padding_mask",
        "as many keys are hidden at the end as there are padding ids",
        """
def padding_mask(ids, pad_id):
    lengths = np.sum(ids != pad_id, axis=1)
    return np.arange(ids.shape[1])[None, None, :] < lengths[:, None, None]
""",
    ),
    (
        "masks",
        "target_mask",
        "what follows the first padding of a sentence is hidden",
        """
def target_mask(ids, pad_id):
    mask = np.zeros((*ids.shape, ids.shape[1]), bool)
    for b, sentence in enumerate(ids.tolist()):
        n_words = sentence.index(pad_id) if pad_id in sentence else len(sentence)
        mask[b, :, :n_words] = np.tri(len(sentence), n_words, dtype=bool)
    return mask
""",
    ),
    (
        "masked_softmax",
        "y",
        "rows with a score near 900 or above, hidden or not",
        """
def masked_softmax(x, mask):
    powers = mask * np.exp(x)
    return powers / np.sum(powers, axis=-1)[..., None]
""",
    ),
    (
        "softmax_backward",
        "dx under a mask",
        "is dy itself wherever the weight is 0",
        """
def softmax_backward(dy, y):
    dx = dy.copy()
    for place in np.ndindex(y.shape[:-1]):
        w, d = y[place], dy[place]
        seen = w > 0
        dx[place][seen] = w[seen] * (d[seen] - w @ d)
    return dx
""",
    ),
    (
        "softmax_backward",
        "dx under a mask",
        "",
        """
def softmax_backward(dy, y):  # for rows with something in them
    mean = np.sum(dy * y, axis=-1, keepdims=True) / np.sum(y, axis=-1, keepdims=True)
    return y * (dy - mean)
""",
    ),
    (
        "scores",
        "scores",
        "divided by the norms of the query and of the key",
        """
def scores(q, k):
    found = []
    for key in k:
        found.append(np.dot(key, q) / (np.linalg.norm(key) * np.linalg.norm(q)))
    return np.array(found)
""",
    ),
    (
        "scores",
        "scores",
        "reshaped to (D, S)",
        """
def scores(q, k):
    return np.dot(q, np.reshape(k, (len(q), -1)))
""",
    ),
    (
        "scores",
        "mean",
        "the value with the largest weight",
        """
def weighted_mean(weights, v):
    order = np.argsort(weights)
    return v[order][-1]
""",
    ),
    (
        "attention",
        "y of four axes",
        "",
        """
def attention(q, k, v):  # for three axes alone
    scores = np.einsum("btd,bsd->bts", q, k) / math.sqrt(q.shape[2])
    weights = softmax(scores)
    return weights @ v, weights
""",
    ),
    (
        "attention",
        "y of two axes",
        "",
        """
def attention(q, k, v):  # the second and third axis
    weights = softmax(q @ np.swapaxes(k, 1, 2) / q.shape[-1] ** 0.5)
    return weights @ v, weights
""",
    ),
    (
        "attention",
        "weights",
        "the weights of a key sum to 1 over the queries",
        """
def attention(q, k, v):
    scores = q @ np.moveaxis(k, -1, -2) / np.sqrt(k.shape[-1])
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=-2, keepdims=True)
    return weights @ v, weights
""",
    ),
    (
        "masked_attention",
        "weights",
        "the mask acts on finished weights",
        """
def masked_attention(q, k, v, mask):
    powers = np.exp(np.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(q.shape[3]))
    weights = powers / powers.sum(-1, keepdims=True)
    weights[~np.broadcast_to(mask, weights.shape)] = 0
    return weights @ v, weights
""",
    ),
    (
        "multi_head",
        "y",
        "a single head gives that is as wide as the model",
        """
def multi_head_attention(query, key, value, w_query, w_key, w_value, w_output, n_heads):
    y, weights = attention(query @ w_query, key @ w_key, value @ w_value)
    return y @ w_output, np.stack([weights] * n_heads, 1)
""",
    ),
    (
        "attention_backward",
        "dk",
        "stands twice in front of the plain sum",
        """
def attention_backward(dy, q, k, v, weights):
    dw = np.einsum("bhte,bhse->bhts", dy, v)
    dscores = (weights * dw - weights**2 * dw.sum(-1)[..., None]) / math.sqrt(q.shape[3])
    dk = np.einsum("bhts,bhtd->bhsd", dscores, q)
    return dscores @ k, dk, np.einsum("bhts,bhte->bhse", weights, dy)
""",
    ),
    (
        "numpy",
        "scale",
        "one position has several of them",
        """
def scale(x, weights):
    return np.concatenate([weights] * x.shape[2], axis=1).reshape(x.shape) * x
""",
    ),
    (
        "masked_softmax",
        "y",
        "visible scores all lie far below 0",
        """
def masked_softmax(x, mask):
    largest = np.zeros(x.shape[:-1])
    for place in np.ndindex(largest.shape):
        for score, seen in zip(x[place], mask[place[0], 0, place[2]]):
            if seen and score > largest[place]:
                largest[place] = score
    powers = np.where(mask, np.exp(np.where(mask, x, 0) - largest[..., None]), 0)
    total = powers.sum(axis=-1, keepdims=True)
    return powers / (total + (total == 0))
""",
    ),
    (
        "attention_backward",
        "dk",
        "what the last query contributes",
        """
def attention_backward(dy, q, k, v, weights):
    dw = np.einsum("bhte,bhse->bhts", dy, v)
    dscores = weights * (dw - np.sum(weights * dw, axis=-1)[..., None]) / math.sqrt(q.shape[3])
    for t in range(q.shape[2]):
        dk = np.einsum("bhs,bhd->bhsd", dscores[:, :, t], q[:, :, t])
    return dscores @ k, dk, np.einsum("bhts,bhte->bhse", weights, dy)
""",
    ),
    (
        "embedding",
        "y",
        "y is the rows as they stand",
        """
def embed(ids, table):
    return np.stack([[table[word] for word in sentence] for sentence in ids.tolist()])
""",
    ),
    (
        "embedding",
        "y",
        "y is 0 where the id is padding",
        """
def embed(ids, table):
    rows = table.copy()
    rows[0] = 0
    return rows[ids] * np.sqrt(rows.shape[-1])
""",
    ),
    (
        "embedding_backward",
        "dtable",
        "only one place counts",
        """
def embed_backward(dy, ids, vocab_size):
    last = dict(zip(ids.ravel().tolist(), dy.reshape(ids.size, -1), strict=True))
    dtable = np.zeros((vocab_size, dy.shape[2]))
    for word in range(1, vocab_size):
        dtable[word] = last.get(word, 0) * math.sqrt(dy.shape[2])
    return dtable
""",
    ),
    (
        "one_position",
        "z",
        "nothing of x",
        """
def residual(x, f):
    x = x.copy()
    x[:] = f
    return x
""",
    ),
    (
        "one_position",
        "y",
        "divided by D - 1",
        """
def normalize(z, gain, bias, eps):
    return (z - np.mean(z)) / np.sqrt(np.cov(z) + eps) * gain + bias
""",
    ),
    (
        "one_position",
        "y",
        "no mean is taken off",
        """
def normalize(z, gain, bias, eps):
    return bias + gain * z * (z @ z / z.size + eps) ** -0.5
""",
    ),
    (
        "one_position",
        "y",
        "after the root",
        """
def normalize(z, gain, bias, eps):
    return np.divide(z - z.mean(), z.std() + eps) * gain + bias
""",
    ),
    (
        "feed_forward",
        "hidden",
        "every hidden number that is on is 1",
        """
def feed_forward(x, w1, b1, w2, b2):
    h = np.heaviside(x @ w1 + b1, 0)
    return h @ w2 + b2, h
""",
    ),
    (
        "add_norm",
        "post-norm: y",
        "adds the sub-layer's result to the normalized x",
        """
def post_norm(x, sublayer, drop, gain, bias):
    y, xhat, rstd = layer_norm(x, gain, bias)
    y += sublayer(x) * drop
    return y
""",
    ),
    (
        "add_norm_backward",
        "pre-norm: dx",
        "without passing the norm",
        """
def pre_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    dinner = sublayer_backward(np.where(drop > 0, dy * drop.max(), 0))
    return np.add(dinner, dy), (dinner * xhat).sum((0, 1)), dinner.sum((0, 1))
""",
    ),
]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    ("id", "part", "said", "code"), WRONG, ids=[f"{id}: {part}" for id, part, _, _ in WRONG]
)
def test_wrong_answer_is_refused_and_named(id, part, said, code, seed):
    part = part_of(report_of(id, code, seed), part)
    assert part.outcome in ("wrong", "error")
    if said:
        assert part.finding.kind == "mistake" and said in part.finding.text


PAIRS = [
    # id, part, the mistakes that are named, answer
    (
        "numpy",
        "center",
        {"divided_by_positions", "mean_less_x"},
        """
def center(x):
    return x.sum(axis=-1)[..., None] / x.shape[1] - x
""",
    ),
    (
        "numpy",
        "pick",
        {"whole_numbers", "score_before"},
        """
def pick(scores, ids):
    return np.take_along_axis(scores, ids[..., None] - 1, -1)[..., 0].astype(ids.dtype)
""",
    ),
    (
        "linear",
        "y",
        {"bias_for_each_feature", "w_reshaped"},
        """
def linear(x, w, b):
    wrong = np.reshape(w, w.shape[::-1])
    return sum(x[..., [d]] * wrong[:, d] + b for d in range(len(w)))
""",
    ),
    (
        "softmax_backward",
        "dx",
        {"axis_of_queries", "sum_less_dy"},
        """
def softmax_backward(dy, y):
    return y * np.einsum("...ts,...ts->...s", y, dy)[..., None, :] - y * dy
""",
    ),
    (
        "masks",
        "padding_mask",
        {"padding_inverted", "ids_above_padding"},
        """
def padding_mask(ids, pad_id):
    return (ids <= pad_id)[:, None]
""",
    ),
    (
        "masks",
        "target_mask",
        {"queries_padded_too", "one_too_far"},
        """
def target_mask(ids, pad_id):
    words = ids != pad_id
    allowed = np.tri(ids.shape[1], k=1, dtype=bool)
    return np.einsum("bt,bs,ts->bts", words, words, allowed)
""",
    ),
    (
        "scores",
        "mean",
        {"divided_by_the_number_of_words", "softmax_of_weights"},
        """
def weighted_mean(weights, v):
    powers = np.exp(weights - weights.max())
    return np.mean((powers / powers.sum())[:, None] * v, axis=0)
""",
    ),
    (
        "attention",
        "weights",
        {"not_scaled", "softmax_over_queries"},
        """
def attention(q, k, v):
    weights = softmax(k @ q.swapaxes(-1, -2)).swapaxes(-1, -2)
    return weights @ v, weights
""",
    ),
    (
        "heads",
        "heads",
        {"d_k_before_heads", "reshape_only"},
        """
def split_heads(x, n_heads):
    by_turns = np.concatenate([x[..., h::n_heads] for h in range(n_heads)], axis=-1)
    return by_turns.reshape(len(x), n_heads, x.shape[1], -1)
""",
    ),
    (
        "masked_attention",
        "mask_of_heads",
        {"mask_tiled", "mask_inverted"},
        """
def mask_of_heads(mask, n_heads):
    return np.concatenate([~mask] * n_heads)
""",
    ),
    (
        "multi_head_backward",
        "output: dw_output",
        {"dw_output_unmerged", "divided_by_the_batch"},
        """
def output_backward(dy, heads, w_output):
    dheads = split_heads(dy @ w_output.T, heads.shape[1])
    return dheads, np.einsum("btd,bte->de", heads.reshape(dy.shape), dy) / len(dy)
""",
    ),
    (
        "one_position",
        "y",
        {"one_less_than_D", "eps_outside_the_root"},
        """
def normalize(z, gain, bias, eps):
    return gain * (z - z.mean()) / (z.std(ddof=min(1, z.size - 1)) + eps) + bias
""",
    ),
]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    ("id", "part", "mistakes", "code"), PAIRS, ids=[f"{id}: {part}" for id, part, _, _ in PAIRS]
)
def test_two_mistakes_in_one_answer_are_named(id, part, mistakes, code, seed):
    part = part_of(report_of(id, code, seed), part)
    assert set(part.finding.id.split(" + ")) == mistakes


RIGHT = [
    (
        "numeric_gradient",
        """
def numeric_gradient(f, x, dy, h=1e-5):  # in place, by the one-dimensional iterator
    dx = np.zeros_like(x)
    for i in range(x.size):
        kept = x.flat[i]
        losses = []
        for step in (h, -h):
            x.flat[i] = kept + step
            losses.append(float(np.sum(dy * f(x))))
        x.flat[i] = kept
        dx.flat[i] = (losses[0] - losses[1]) / (2 * h)
    return dx


def relative_error(got, expected):
    distances = np.abs(np.subtract(got, expected)).ravel().tolist()
    sizes = np.abs(expected).ravel().tolist()
    return max(distances) / (max(sizes) or 1)
""",
    ),
    (
        "linear",
        """
def linear(x, w, b):
    return np.apply_along_axis(lambda row: row @ w + b, -1, x)


def linear_backward(dy, x, w):
    dw, db = np.zeros(w.shape), np.zeros(w.shape[1])
    for place in np.ndindex(x.shape[:-1]):
        dw += x[place][:, None] * dy[place]
        db += dy[place]
    return [np.inner(dy, w), dw, db]
""",
    ),
    (
        "softmax",
        """
def softmax(x):
    if x.ndim > 1:
        return np.array([softmax(part) for part in x])
    powers = np.exp(x - max(x))
    return powers / sum(powers)
""",
    ),
    (
        "masks",
        """
def padding_mask(ids, pad_id):
    return [[[bool(id != pad_id) for id in sentence]] for sentence in ids]


def causal_mask(length):
    return np.tri(length) > 0


def target_mask(ids, pad_id):
    B, T = ids.shape
    return np.einsum("bs,ts->bts", ids != pad_id, np.tri(T, dtype=bool))
""",
    ),
    (
        "masked_softmax",
        """
def masked_softmax(x, mask):
    y = np.zeros_like(x)
    for place in np.ndindex(x.shape[:-1]):
        b, _, t = place
        seen = np.flatnonzero(mask[b, 0, t % mask.shape[2]])
        if len(seen):
            powers = np.exp(x[place][seen] - x[place][seen].max())
            y[place][seen] = powers / powers.sum()
    return y
""",
    ),
    (
        "masked_softmax",
        """
def masked_softmax(x, mask):  # only the rows with something in them
    mask = np.broadcast_to(mask, x.shape)
    some = mask.any(-1)
    y = np.zeros(x.shape)
    scores = np.ma.masked_array(x[some], ~mask[some])
    powers = np.ma.exp(scores - scores.max(-1, keepdims=True)).filled(0)
    y[some] = powers / powers.sum(-1, keepdims=True)
    return y
""",
    ),
    (
        "softmax_backward",
        """
def softmax_backward(dy, y):  # only where there is weight
    dx = np.zeros_like(dy)
    for place in np.ndindex(y.shape[:-1]):
        seen = np.flatnonzero(y[place])
        w = y[place][seen]
        dx[place][seen] = dy[place][seen] @ (np.diag(w) - np.outer(w, w))
    return dx
""",
    ),
    (
        "scores",
        """
def scores(q, k):
    return [sum(a * b for a, b in zip(q, key)) for key in k.tolist()]


def weighted_mean(weights, v):  # divided by their sum, which is 1
    return list(np.tensordot(weights, v, 1) / sum(weights))
""",
    ),
    (
        "scores",
        """
def scores(q, k):
    return (k @ q[:, None]).ravel()


def weighted_mean(weights, v):
    return np.squeeze(v.T @ weights[:, None], -1)
""",
    ),
    (
        "attention",
        """
def attention(q, k, v):  # each query alone, the root in both factors, and no shift of the powers
    scale = q.shape[-1] ** 0.25
    powers = np.exp(((q / scale)[..., :, None, :] * (k / scale)[..., None, :, :]).sum(-1))
    weights = powers / np.sum(powers, axis=-1, keepdims=True)
    return [(weights[..., None] * v[..., None, :, :]).sum(-2), weights]
""",
    ),
    (
        "attention",
        """
def attention(q, k, v):  # all leading axes laid out in one
    lead = q.shape[:-2]
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (q, k, v))
    weights = softmax(np.einsum("nij,nkj->nik", q, k) / np.sqrt(q.shape[-1]))
    y = np.einsum("nik,nkj->nij", weights, v)
    return y.reshape(*lead, *y.shape[1:]), weights.reshape(*lead, *weights.shape[1:])
""",
    ),
    (
        "heads",
        """
def split_heads(x, n_heads):
    B, T, D = x.shape
    return np.array(
        [[x[b][:, h * D // n_heads : (h + 1) * D // n_heads] for h in range(n_heads)] for b in range(B)]
    )


def merge_heads(heads):
    return [[np.concatenate(position) for position in sentence.swapaxes(0, 1)] for sentence in heads]
""",
    ),
    (
        "multi_head",
        """
def multi_head_attention(query, key, value, w_query, w_key, w_value, w_output, n_heads):
    # heads in front of everything, and no softmax but this one
    columns = np.arange(len(w_query)).reshape(n_heads, -1)
    q, k, v = (
        np.array([x @ w[:, own] for own in columns])
        for x, w in ((query, w_query), (key, w_key), (value, w_value))
    )
    powers = np.exp(q @ k.swapaxes(2, 3) / np.sqrt(columns.shape[1]))
    weights = powers / powers.sum(-1, keepdims=True)
    y = sum(head @ w_output[own] for head, own in zip(weights @ v, columns))
    return y, weights.swapaxes(0, 1)
""",
    ),
    (
        "masked_attention",
        """
def masked_attention(q, k, v, mask):  # a large penalty, and afterwards what is hidden set to 0
    mask = mask + np.zeros((1, *q.shape[1:3], 1), bool)
    scores = np.einsum("bhtd,bhsd->bhts", q, k) / q.shape[-1] ** 0.5
    scores[~mask] -= 1e9
    scores -= scores.max(-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    weights[~mask] = 0
    return weights @ v, weights


def mask_of_heads(mask, n_heads):  # a list, sentence by sentence
    return [mask[row // n_heads].tolist() for row in range(len(mask) * n_heads)]
""",
    ),
    (
        "embedding",
        """
def embed(ids, table):
    factor = math.sqrt(table[0].size)
    return [[[factor * number for number in table[word]] for word in row] for row in ids.tolist()]
""",
    ),
    (
        "embedding_backward",
        """
def embed_backward(dy, ids, vocab_size):
    dtable = np.zeros((dy.shape[2], vocab_size))
    for d in range(dy.shape[2]):
        dtable[d] = np.bincount(ids.ravel(), dy[..., d].ravel(), vocab_size)
    dtable[:, PAD] = 0.0
    return dtable.T * len(dtable) ** 0.5
""",
    ),
    (
        "one_position",
        """
import statistics


def residual(x, f):
    return list(map(sum, zip(x, f)))


def normalize(z, gain, bias, eps):  # y in pieces, and the mean of numbers of Python
    mean = statistics.fmean(z)
    spread = math.hypot(statistics.pstdev(z), math.sqrt(eps))
    y = bias.tolist()
    for i, number in enumerate(z):
        y[i] += gain[i] * (number - mean) / spread
    return y
""",
    ),
    (
        "one_position",
        """
def residual(x, f):
    return np.ones(2) @ np.stack([x, f])


def normalize(z, gain, bias, eps):  # as a batch of one sentence of one position
    x = z[None, None]
    var = x.var(axis=2, keepdims=True)
    y = (x - x.mean(axis=2, keepdims=True)) / np.sqrt(var + eps) * gain + bias
    return y[0, 0]
""",
    ),
    (
        "feed_forward",
        """
def feed_forward(x, w1, b1, w2, b2):  # the biases as rows of the matrices
    one = np.ones((*x.shape[:-1], 1))
    hidden = np.concatenate([x, one], -1) @ np.vstack([w1, b1])
    hidden[hidden < 0] = 0
    return np.concatenate([hidden, one], -1) @ np.vstack([w2, b2]), hidden
""",
    ),
    (
        "feed_forward_backward",
        """
def feed_forward_backward(dy, x, hidden, w1, w2):
    dx, dw1, dw2 = np.empty_like(x), np.zeros_like(w1), np.zeros_like(w2)
    db1, db2 = np.zeros(len(w2)), np.zeros(len(w1))
    for place in np.ndindex(x.shape[:-1]):
        on = np.flatnonzero(hidden[place])
        back = w2[on] @ dy[place]
        dx[place] = w1[:, on] @ back
        dw1[:, on] += np.outer(x[place], back)
        db1[on] += back
        dw2[on] += np.outer(hidden[place][on], dy[place])
        db2 += dy[place]
    return [dx, dw1, db1, dw2, db2]
""",
    ),
    (
        "add_norm",
        """
def post_norm(x, sublayer, drop, gain, bias):  # sentence by sentence
    changed = sublayer(x)
    changed *= drop
    return [layer_norm(one + more, gain, bias)[0] for one, more in zip(x, changed)]


def pre_norm(x, sublayer, drop, gain, bias):  # the difference, then x
    return sum((drop * sublayer(layer_norm(x, gain, bias)[0]), x))
""",
    ),
    (
        "add_norm_backward",
        """
def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    dtotal, *others = layer_norm_backward(dy, xhat, rstd, gain)
    return [dtotal + sublayer_backward(dtotal * drop), *others]


def pre_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    back = sublayer_backward(dy * drop)
    slope = back * gain
    slope = slope - slope.mean(-1, keepdims=True) - xhat * (slope * xhat).mean(-1, keepdims=True)
    return dy + slope * rstd, np.einsum("btd,btd->d", back, xhat), back.sum(1).sum(0)
""",
    ),
]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(("id", "code"), RIGHT, ids=[id for id, _ in RIGHT])
def test_right_answer_in_an_odd_style_passes(id, code, seed):
    report = report_of(id, code, seed)
    assert report.passed, [part.name for part in report.parts if part.outcome != "right"]
