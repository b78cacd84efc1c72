"""Small exercises for tests of the diagnosis, and what it says of an edited solution."""

import numpy as np

from npformer_course import course
from npformer_course.case import Case
from npformer_course.check_answer import check
from npformer_course.definition import Call, Edit, Exercise, Mistake, Prediction
from npformer_course.percent_format import Cell
from tests.run_here import run_here


def exercise(id, body, inputs, calls, **more):
    text = f"import numpy as np\n\n# BEGIN SOLUTION\n{body.strip()}\n# END SOLUTION\n"
    return Exercise(
        id=id,
        number=0,
        minutes=5,
        difficulty=1,
        importance=1,
        needs=(),
        cells=(
            Cell("# # A small one, of sizes B, T, S, H, N, D, K, F and V", markdown=True),
            Cell(text),
        ),
        inputs=inputs,
        calls=tuple(calls),
        prediction=Prediction("?", {"a": "yes"}, "a", "so"),
        mistakes=more.pop("mistakes", ()),
        hints=(),
        alternatives=(),
        **more,
    )


LINEAR = """
def linear(x, w, b):
    return x @ w + b

def linear_backward(dy, x, w):
    dx = dy @ w.T
    dw = np.einsum("btd,btf->df", x, dy)
    db = dy.sum((0, 1))
    return dx, dw, db
"""


def linear_inputs(draw, B, T, D, F):
    return dict(
        x=draw.normal(B, T, D), w=draw.normal(D, F), b=draw.normal(F), dy=draw.normal(B, T, F)
    )


def forward(student, x, w, b):
    return student.linear(x, w, b)


def backward(student, dy, x, w):
    return student.linear_backward(dy, x, w)


linear = exercise(
    "linear",
    LINEAR,
    linear_inputs,
    [Call(forward, {"y": 1}), Call(backward, {"dx": 1, "dw": 1, "db": 1})],
    mistakes=(
        Mistake("no_bias", "the bias is not there", Edit("x @ w + b", "x @ w"), ask="Where is b?"),
    ),
)


SOFTMAX = """
def softmax_backward(dy, y):
    return y * dy - y * (y * dy).sum(-1, keepdims=True)
"""


def softmax_inputs(draw, B, T, D):
    z = np.exp(draw.normal(B, T, D))
    return {"y": z / z.sum(-1, keepdims=True), "dy": draw.normal(B, T, D)}


def softmax_backward(student, dy, y):
    return student.softmax_backward(dy, y)


def terms_of_softmax(dy, y):
    return {"the direct term": y * dy, "the sum over the row": -y * (y * dy).sum(-1, keepdims=True)}


softmax = exercise(
    "softmax_backward",
    SOFTMAX,
    softmax_inputs,
    [Call(softmax_backward, {"dx": 1})],
    terms={"dx": terms_of_softmax},
)


ATTENTION = """
def attention(q, k, v, mask):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    e = np.exp(scores - top)
    total = e.sum(-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return weights @ v, weights
"""


def attention_inputs(draw, B, T, S, K, F):
    return {
        "q": draw.normal(B, T, K),
        "k": draw.normal(B, S, K),
        "v": draw.normal(B, S, F),
        "mask": draw.mask(B, T, S, empty=True),
    }


def attend(student, q, k, v, mask):
    return student.attention(q, k, v, mask)


attention = exercise(
    "attention", ATTENTION, attention_inputs, [Call(attend, {"y": 1, "weights": 1})]
)


EMBEDDING = """
def embedding_backward(ids, dy, n):
    dtable = np.zeros((n, dy.shape[-1]))
    np.add.at(dtable, ids, dy)
    dtable[0] = 0
    return dtable * np.sqrt(dy.shape[-1])
"""


def embedding_inputs(draw, B, T, D, V):
    V = max(V, 2)  # padding and a word
    return {"ids": draw.ids(B, T, vocab_size=V), "dy": draw.normal(B, T, D), "n": V}


def look_up_backward(student, ids, dy, n):
    return student.embedding_backward(ids, dy, n)


embedding = exercise(
    "embedding",
    EMBEDDING,
    embedding_inputs,
    [Call(look_up_backward, {"dtable": 1})],
    sizes={"V": (9, 14)},
)


HEADS = """
def split(x, n):
    B, T, D = x.shape
    return x.reshape(B, T, n, D // n).transpose(0, 2, 1, 3)
"""


def heads_inputs(draw, B, T, H, K):
    return {"x": draw.normal(B, T, H * K), "n": H}


def split(student, x, n):
    return student.split(x, n)


heads = exercise("heads", HEADS, heads_inputs, [Call(split, {"heads": 1})])


LOSS = """
def loss(p, ids):
    real = ids != 0
    picked = np.take_along_axis(p, ids[..., None], -1)[..., 0]
    return -(np.log(picked) * real).sum() / real.sum(), np.where(real, picked, 1.0)
"""


def loss_inputs(draw, B, T, V):
    V = max(V, 2)  # padding and a word
    p = np.exp(draw.normal(B, T, V))
    return {"p": p / p.sum(-1, keepdims=True), "ids": draw.ids(B, T, vocab_size=V)}


def cost(student, p, ids):
    return student.loss(p, ids)


loss = exercise("loss", LOSS, loss_inputs, [Call(cost, {"loss": 1, "picked": 1})])

DROPOUT = """
def dropout_backward(dy, kept, p):
    return dy * kept / (1 - p)
"""


def dropout_inputs(draw, B, T, D):
    p = draw.uniform(0.2, 0.6)
    return {"dy": draw.normal(B, T, D), "kept": draw.normal(B, T, D) > -0.5, "p": p}


def drop_backward(student, dy, kept, p):
    return student.dropout_backward(dy, kept, p)


dropout = exercise("dropout", DROPOUT, dropout_inputs, [Call(drop_backward, {"dx": 1})])

SQUARES = """
def squares(x, w):
    return x @ w
"""


def squares_inputs(draw, D):
    return {"x": draw.normal(D, D), "w": draw.normal(D, D)}


def product(student, x, w):
    return student.squares(x, w)


squares = exercise("squares", SQUARES, squares_inputs, [Call(product, {"dx": 1})])

layer_norm = course.load("layer_norm_backward")


def edited(exercise, *edits):
    """Return the key with edits, each a pair of what is in it once and what is there instead."""
    text = exercise.key
    for right, wrong in edits:
        text = Edit(right, wrong).apply(text)
    return text


CASES = {}  # by exercise and seed: the results of the mistakes are the same for all answers


def report(exercise, text, seed=0):
    key = id(exercise), seed
    if key not in CASES:
        CASES[key] = Case(exercise, seed)
    return check(CASES[key], text, run_here)


def said(exercise, part, *edits, seed=0):
    """Return the finding on a part of the edited key, which must not be right."""
    [found] = [p for p in report(exercise, edited(exercise, *edits), seed).parts if p.name == part]
    assert found.outcome != "right"
    return found.finding
