"""What the texts of exercises 00 to 16 say is checked: own wrong answers, and right ones."""

import pytest

from npformer_course import course
from npformer_course.case import Case
from npformer_course.check_answer import check
from tests.run_here import run_here


def report_of(id, code, seed=0):
    """Check an answer: the functions of `code` in place of those that the student gets."""
    exercise = course.load(id)
    return check(Case(exercise, seed), f"{exercise.stub}\n\n{code}\n", run_here)


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
        "masked_softmax",
        "dx",
        "stands twice in front of the plain sum of dy",
        """
def masked_softmax_backward(dy, y):
    return dy * y - y * y * np.sum(dy, axis=-1, keepdims=True)
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
]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(("id", "part", "said", "code"), WRONG)
def test_wrong_answer_is_refused_and_named(id, part, said, code, seed):
    part = part_of(report_of(id, code, seed), part)
    assert part.outcome in ("wrong", "error")
    if said:
        assert part.finding.kind == "mistake" and said in part.finding.text
