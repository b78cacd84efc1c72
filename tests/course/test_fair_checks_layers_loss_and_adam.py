"""Own answers to the layers of part I, loss_gradient, adam_by_hand and short exercises."""

import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from tests.run_here import run_here

PROJECTED = """
def heads_of(x, w, name, n_heads):
    return split_heads(x @ w[f"w_{{name}}.weight"] + w[f"w_{{name}}.bias"], n_heads)


def multi_head(x, memory, mask, w, n_heads):
    q = heads_of({query}, w, "query", n_heads)
    k = heads_of({key}, w, "key", n_heads)
    v = heads_of({value}, w, "value", n_heads)
    heads, _ = masked_attention(q, k, v, {mask})
    return merge_heads(heads) @ w["w_output.weight"] + w["w_output.bias"]
"""
ENCODER = """
def encoder_layer(x, mask, w, n_heads):
    names = "self_attention.sublayer", "self_attention.norm", "feed_forward.sublayer", "feed_forward.norm"
    attention, norm_1, forward, norm_2 = [part_of(w, name) for name in names]
    {lines}
"""
DECODER = """
def decoder_layer(x, memory, self_mask, cross_mask, w, n_heads):
    own, cross, forward = [
        part_of(w, f"{{name}}.sublayer")
        for name in ("self_attention", "cross_attention", "feed_forward")
    ]
    norm_1, norm_2, norm_3 = [
        part_of(w, f"{{name}}.norm")
        for name in ("self_attention", "cross_attention", "feed_forward")
    ]
    {lines}
"""
ADAM = """
def move_one_number(theta, g, m, v, t, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    m_new = running_mean(m, g, beta1)
    v_new = running_mean(v, g * g, beta2)
    m_hat = corrected(m_new, beta1, t)
    v_hat = corrected(v_new, beta2, t)
    {lines}
"""


def projected(query="x", key="memory", value="memory", mask="mask[:, None]"):
    return PROJECTED.format(query=query, key=key, value=value, mask=mask)


def encoder(*lines):
    return ENCODER.format(lines="\n    ".join(lines))


def decoder(*lines):
    return DECODER.format(lines="\n    ".join(lines))


def adam(*lines):
    return ADAM.format(lines="\n    ".join(lines))


def report_of(id, code, seed):
    """Check the key with some functions replaced by those of `code`."""
    exercise = course.load(id)
    return check(case_at(id, seed), f"{exercise.key}\n\n{code}\n", run_here)


SELF = "u = norm(x + multi_head(x, x, self_mask, own, n_heads), norm_1)"
CROSS = "v = norm(u + multi_head(u, memory, cross_mask, cross, n_heads), norm_2)"
NETWORK = "return norm(v + network(v, forward), norm_3)"
ATTENTION = "z = norm(x + multi_head(x, x, mask, attention, n_heads), norm_1)"

WRONG = [
    # id, part, what the finding says, answer
    (
        "encoder_layer",
        "y of multi_head",
        "does not depend on memory",
        projected(key="x", value="x"),
    ),
    ("encoder_layer", "y of multi_head", "memory asks", projected("memory", "x", "x")),
    (
        "encoder_layer",
        "y of multi_head with a memory of another length",
        "could not be broadcast",
        projected(key="x", value="x"),
    ),
    ("encoder_layer", "y of multi_head", "could not be broadcast", projected(mask="mask")),
    (
        "encoder_layer",
        "y of the layer",
        "what a sub-layer computes is normalized, and then added",
        encoder(
            "x = x + norm(multi_head(x, x, mask, attention, n_heads), norm_1)",
            "return x + norm(network(x, forward), norm_2)",
        ),
    ),
    (
        "encoder_layer",
        "y of the layer",
        "pre-norm",
        encoder(
            "z = norm(x, norm_1)",
            "x = x + multi_head(z, z, mask, attention, n_heads)",
            "return x + network(norm(x, norm_2), forward)",
        ),
    ),
    (
        "encoder_layer",
        "y of the layer",
        "not yet normalized",
        encoder(
            "x = x + multi_head(x, x, mask, attention, n_heads)",
            "return norm(x + network(norm(x, norm_1), forward), norm_2)",
        ),
    ),
    (
        "encoder_layer",
        "y of the layer",
        "is added to the layer's input",
        encoder(ATTENTION, "return norm(x + network(z, forward), norm_2)"),
    ),
    (
        "encoder_layer",
        "y of the layer",
        "both sums are normalized with the gain and bias of self_attention.norm",
        encoder(ATTENTION, "return norm(z + network(z, forward), norm_1)"),
    ),
    (
        "encoder_layer",
        "y of the layer",
        "KeyError: 'w_query.weight'",
        encoder("return multi_head(x, x, mask, w, n_heads)"),
    ),
    (
        "decoder_layer",
        "y",
        "self_mask hides words of the source",
        decoder(SELF, CROSS.replace("cross_mask", "self_mask"), NETWORK),
    ),
    (
        "decoder_layer",
        "y with a memory of another length",
        "could not be broadcast",
        decoder(SELF, CROSS.replace("cross_mask", "self_mask"), NETWORK),
    ),
    (
        "decoder_layer",
        "y",
        "in cross-attention the memory asks, and the target is looked at",
        decoder(SELF, CROSS.replace("(u, memory", "(memory, u"), NETWORK),
    ),
    (
        "decoder_layer",
        "y",
        "queries are made from the layer's input",
        decoder(SELF, CROSS.replace("(u, memory", "(x, memory"), NETWORK),
    ),
    (
        "decoder_layer",
        "y with a memory of another length",
        "both attentions have the weights of self_attention.sublayer",
        decoder(SELF, CROSS.replace(" cross,", " own,"), NETWORK),
    ),
    (
        "decoder_layer",
        "y",
        "all sums are normalized with the gain and bias of self_attention.norm",
        decoder(SELF, CROSS.replace("norm_2", "norm_1"), NETWORK.replace("norm_3", "norm_1")),
    ),
    ("decoder_layer", "y", "the second of the three formulas", decoder(SELF, CROSS, "return v")),
    (
        "loss_gradient",
        "loss of far scores",
        "rounded to 0",
        "def cross_entropy(z, q): return -(q * np.log(softmax(z))).sum()",
    ),
    (
        "loss_gradient",
        "loss of far scores",
        "is cut off",
        "def cross_entropy(z, q): return -(q * np.log(np.clip(softmax(z), 1e-12, 1))).sum()",
    ),
    # the second formula, which has inf where the first has NaN
    (
        "loss_gradient",
        "loss of far scores",
        "where the scores are far from 0",
        "def cross_entropy(z, q): return np.log(np.exp(z).sum()) - (q * z).sum()",
    ),
    (
        "loss_gradient",
        "gradient",
        "with respect to p",
        "def gradient(z, q): return -q * np.exp(z).sum() / np.exp(z)",
    ),
    (
        "loss_gradient",
        "gradient",
        "its own token",
        "def gradient(z, q): return q * (softmax(z) - 1)",
    ),
    (
        "loss_gradient",
        "gradient of far scores",
        "the other sign",
        "def gradient(z, q): return q - softmax(z)",
    ),
    (
        "surprise",
        "surprise",
        "in bits",
        "def surprise(logits, ids):\n    p = np.exp(logits) / np.exp(logits).sum(1)[:, None]\n"
        "    return [-np.log2(row[id]) for row, id in zip(p, ids)]",
    ),
    (
        "surprise",
        "surprise",
        "one number",
        "def surprise(logits, ids):\n    rows = np.arange(len(ids))\n"
        "    return np.mean(np.logaddexp.reduce(logits, 1) - logits[rows, ids])",
    ),
    (
        "alignment_error_rate",
        "error rate",
        "not gold",
        "def alignment_error_rate(found, gold): return np.mean(~gold[found])",
    ),
    (
        "alignment_error_rate",
        "links",
        "each column",
        "def links(weights): return np.eye(len(weights), dtype=bool)[weights.argmax(0)].T",
    ),
    (
        "cosine_neighbors",
        "neighbors",
        "begin with the row itself",
        "def neighbors(table, row, n): return np.argsort(-np.asarray(cosines(table, row)))[:n]",
    ),
    (
        "cosine_neighbors",
        "cosines",
        "dot products",
        "def cosines(table, row): return [np.dot(table[row], other) for other in table]",
    ),
    (
        "surprise",
        "bits per character",
        "the perplexity",
        "def bits_per_character(nats): return math.e ** np.mean(nats)",
    ),
    (
        "adam_by_hand",
        "theta",
        "eps is under the root",
        adam("return theta - lr * m_hat / (v_hat + eps) ** 0.5, m_new, v_new"),
    ),
    (
        "adam_by_hand",
        "theta",
        "eps is added to theta",
        adam("return theta - lr * m_hat / v_hat**0.5 + eps, m_new, v_new"),
    ),
    (
        "adam_by_hand",
        "theta of the first updates",
        "corrected again in the next update",
        adam("return theta - lr * m_hat / (v_hat**0.5 + eps), m_hat, v_hat"),
    ),
    (
        "adam_by_hand",
        "m",
        "as they came in",
        adam("return theta - lr * m_hat / (v_hat**0.5 + eps), m, v"),
    ),
    (
        "adam_by_hand",
        "theta of the first updates",
        "nothing is corrected",
        adam("return theta - lr * m_new / (v_new**0.5 + eps), m_new, v_new"),
    ),
]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    ("id", "part", "says", "code"), WRONG, ids=[f"{id}: {says}" for id, _, says, _ in WRONG]
)
def test_wrong_answer_is_refused_and_named(id, part, says, code, seed):
    [found] = [one for one in report_of(id, code, seed).parts if one.name == part]
    assert found.outcome in ("wrong", "error")
    assert says in found.finding.text
    assert "two mistakes" not in found.finding.text
    assert found.finding.kind == ("mistake" if found.outcome == "wrong" else "guard")


RIGHT = [
    # softmax does not see the bias of the keys
    (
        "encoder_layer",
        projected().replace(
            '"key", n_heads)',
            '"key", n_heads) - split_heads(0 * memory + w["w_key.bias"], n_heads)',
        ),
    ),
    # a mask for each head
    (
        "encoder_layer",
        projected(mask="np.repeat(mask[:, None], n_heads, axis=1).astype(int) > 0"),
    ),
    # Add & Norm in place, on copies
    (
        "encoder_layer",
        encoder(
            "y = x.copy()",
            "y += multi_head(y, y, mask, attention, n_heads)",
            "y = norm(y, norm_1)",
            "y += network(y, forward)",
            "return norm(y, norm_2)",
        ),
    ),
    # one sentence after the other
    (
        "decoder_layer",
        decoder(
            "if len(x) > 1:",
            "    sentences = zip(x, memory, self_mask, cross_mask)",
            "    parts = [[array[None] for array in sentence] for sentence in sentences]",
            "    return np.concatenate([decoder_layer(*part, w, n_heads) for part in parts])",
            SELF,
            CROSS,
            NETWORK,
        ),
    ),
    # the last position of each sentence first
    (
        "decoder_layer",
        decoder(
            "x = x[:, ::-1]",
            SELF.replace("self_mask", "self_mask[:, ::-1, ::-1]"),
            CROSS,
            NETWORK.replace("norm_3)", "norm_3)[:, ::-1]"),
        ),
    ),
    # a float and a list, without NumPy
    (
        "loss_gradient",
        """
def log_total(z):
    top = sorted(z)[-1]
    return float(top) + math.log(math.fsum(math.exp(score - top) for score in z))


def cross_entropy(z, q):
    return sum(float(target) * (log_total(z) - float(score)) for target, score in zip(q, z))


def gradient(z, q):
    return [math.exp(score - log_total(z)) - target for target, score in zip(q, z)]
""",
    ),
    # the loss by the distance to the best token
    (
        "loss_gradient",
        """
def cross_entropy(z, q):
    best = np.argsort(z)[-1]
    return np.log1p(np.exp(np.delete(z, best) - z[best]).sum()) + q @ (z[best] - z)
""",
    ),
    # by angles, and as a list of whole numbers
    (
        "cosine_neighbors",
        """
def cosines(table, row):
    lengths = np.array([np.sqrt(one @ one) for one in table])
    angles = np.arccos(np.clip(table @ table[row] / lengths / lengths[row], -1, 1))
    return np.cos(angles)


def neighbors(table, row, n):
    cosine = list(cosines(table, row))
    found = []
    for _ in range(n):
        best = max((v for v in range(len(table)) if v != row and v not in found), key=cosine.__getitem__)
        found.append(best)
    return found
""",
    ),
    # by sets of places, and as an array without axes
    (
        "alignment_error_rate",
        """
def links(weights):
    order = np.argsort(np.argsort(weights, axis=-1), axis=-1)
    return [[bool(rank) for rank in row] for row in order == weights.shape[1] - 1]


def alignment_error_rate(found, gold):
    a, g = set(np.flatnonzero(found)), set(np.flatnonzero(gold))
    return np.array(1 - 2 * len(a.intersection(g)) / sum(map(len, (a, g))))
""",
    ),
    # by the probabilities of all other characters, and in base 2 from the start
    (
        "surprise",
        """
def surprise(logits, ids):
    nats = []
    for z, id in zip(logits, ids):
        others = np.delete(z - z[id], id)
        largest = max(0.0, *others) if len(others) else 0.0
        total = math.exp(-largest) + sum(math.exp(other - largest) for other in others)
        nats.append(np.float64(largest + math.log(total)))
    return nats


def bits_per_character(nats):
    return math.fsum(n * math.log2(math.e) for n in nats) / len(nats)
""",
    ),
    # running means by interpolation, and arrays of no axes
    (
        "adam_by_hand",
        """
def running_mean(mean, new, beta):
    return np.interp(beta, [0, 1], [new, mean])


def corrected(mean, beta, t):
    return np.asarray(mean) / sum([(1 - beta) * beta**i for i in range(t)], 0.0)
"""
        + adam("return np.array([theta - lr * m_hat / (math.sqrt(v_hat) + eps)])[0], m_new, v_new"),
    ),
]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    ("id", "code"), RIGHT, ids=[f"{id}-{n}" for n, (id, _) in enumerate(RIGHT)]
)
def test_right_answer_in_an_odd_style_passes(id, code, seed):
    report = report_of(id, code, seed)
    assert report.passed, [part.name for part in report.parts if part.outcome != "right"]
