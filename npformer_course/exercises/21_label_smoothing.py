# id: label_smoothing | points: 9 | minutes: 45 | level: 2 | needs: softmax | notebook: 07

# %% [markdown]
# # Cross-entropy with label smoothing
#
# At every position the model gives a score $z_v$, a logit, to each of the $V$ tokens, and softmax makes them
# probabilities $p$. The loss says how far $p$ is from a target $q$:
#
# $$p_v = \frac{e^{z_v}}{\sum_u e^{z_u}}, \qquad L_{row} = -\sum_v q_v \ln p_v$$
#
# If $q$ is 1 for the right token and 0 for the rest, no finite score reaches it, and the loss pulls the scores apart
# for ever: the model becomes more certain than it has reason to be. Section 5.4 of the paper takes a little from the
# right token and spreads it over the whole vocabulary, $\varepsilon = 0.1$ in all:
#
# $$q_v = (1 - \varepsilon)\, \mathbb{1}[v = \text{target}] + \frac{\varepsilon}{V}$$
#
# Every token gets $\varepsilon / V$, **the right one and padding too**; a row of $q$ sums to 1. (Tutorials also divide
# by $V - 1$ or $V - 2$. The paper follows Szegedy et al. 2016, who divide by $V$, and so do we.)
#
# Sentences of a batch have different lengths and are filled up with padding. There is nothing to predict there, so
# those rows count for nothing. The loss of a batch is the **mean over its real tokens**, all alike, whichever
# sentence they stand in. With $N$ real tokens:
#
# $$L = \frac1N \sum_{\text{real rows}} L_{row}, \qquad
#   \frac{\partial L}{\partial z_v} = \frac{p_v - q_v}{N} \ \text{ in real rows, 0 in the others}$$
#
# Why $p - q$? In $\ln p_v = z_v - \ln \sum_u e^{z_u}$ the slope of the second term with respect to $z_j$ is $p_j$, and
# since $q$ sums to 1, $-\sum_v q_v \ln p_v$ has slope $-q_j + p_j$. Where $p = q$ the pull ends.
#
# One thing at a time:

# %%
import math

import numpy as np


def smooth_targets_slowly(targets, vocab_size, eps):
    """The same as below, by loops."""
    B, T = targets.shape
    q = np.zeros((B, T, vocab_size))
    for b in range(B):
        for t in range(T):
            for v in range(vocab_size):
                q[b, t, v] = (1 - eps) * (v == targets[b, t]) + eps / vocab_size
    return q


def log_probabilities_slowly(row):
    """Return ln p of one row (V,), with the largest score taken off first: e^800 is infinite, e^0 is not."""
    largest = max(row)
    total = sum(math.exp(z - largest) for z in row)
    return [z - largest - math.log(total) for z in row]


def cross_entropy_slowly(logits, q, real):
    """The same as below, by loops."""
    B, T, _ = logits.shape
    loss, n = 0.0, 0
    for b in range(B):
        for t in range(T):
            if real[b, t]:
                n += 1
                for v, log_p in enumerate(log_probabilities_slowly(logits[b, t])):
                    loss -= q[b, t, v] * log_p
    return loss / n


def cross_entropy_backward_slowly(logits, q, real):
    """The same as below, by loops."""
    B, T, V = logits.shape
    dlogits, n = np.zeros((B, T, V)), sum(real[b, t] for b in range(B) for t in range(T))
    for b in range(B):
        for t in range(T):
            if real[b, t]:
                for v, log_p in enumerate(log_probabilities_slowly(logits[b, t])):
                    dlogits[b, t, v] = (math.exp(log_p) - q[b, t, v]) / n
    return dlogits


# %% [markdown]
# ## Your turn
#
# Three functions, without loops. `smooth_targets` builds $q$; here every target is a real token. The other two are
# given a $q$ of ours, and `real`, which is True where the target is no padding; every sentence has a real token. In
# padding rows $q$ and the logits hold any finite numbers, no inf and no NaN: let none of it into the results.
#
# Scores near 800 occur, in one row together, in another next to scores near 0. So take the largest of each row off
# before `np.exp`, as softmax did: neither $p$ nor $\ln p$ changes. However small a $p$ is, its $\ln p$ is a number.
# There is no upstream gradient: the loss is where backward begins.


# %%
def smooth_targets(targets, vocab_size, eps):
    """Return the smoothed targets q (B, T, V), V = vocab_size.

    targets (B, T): ids from 0 to V - 1. eps: how much is spread over all V tokens.
    """
    # BEGIN SOLUTION
    onehot = np.eye(vocab_size)[targets]
    return (1 - eps) * onehot + eps / vocab_size
    # END SOLUTION


def cross_entropy(logits, q, real):
    """Return the loss, one number: the mean over real tokens of -sum_v q_v ln p_v.

    logits, q (B, T, V). real (B, T): True where the target is a real token, False where it is padding.
    """
    # BEGIN SOLUTION
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    losses = -(q * log_p).sum(-1)
    return losses[real].mean()
    # END SOLUTION


def cross_entropy_backward(logits, q, real):
    """Return dlogits (B, T, V), the gradient of the loss; it is 0 in padding rows. None of the inputs is changed.

    logits, q (B, T, V). real (B, T): True where the target is a real token, False where it is padding.
    """
    # BEGIN SOLUTION
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    p = raised / raised.sum(-1, keepdims=True)
    n = int(real.sum())
    return np.where(real[..., None], p - q, 0) / n
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, V):
    """Draw targets to smooth, and a batch with padding; every second position or so has scores near 800.

    At one position a single score is, so that the other probabilities are rounded to 0, and their logarithms are not.
    """
    V = max(V, 2)
    eps = draw.uniform(0.1, 0.4)
    ids = draw.ids(B, T, vocab_size=V)
    large = 800.0 * draw.rng.integers(0, 2, (B, T, 1))
    large[0, 0] = 800
    large = large + np.zeros(V)
    large[-1, 0] = 800.0 * (np.arange(V) == draw.rng.integers(V))
    targets = draw.ids(B, T, vocab_size=V, pad=False)
    targets[0, 0] = 0  # an id as any other
    return {
        "targets": targets,
        "vocab_size": V,
        "eps": eps,
        "logits": 2 * draw.normal(B, T, V) + large,
        "q": np.where(np.arange(V) == ids[..., None], 1 - eps, 0) + eps / V,
        "real": ids != 0,
    }


def smooth(student, targets, vocab_size, eps):
    return student.smooth_targets(targets, vocab_size, eps)


def forward(student, logits, q, real):
    return student.cross_entropy(logits, q, real)


def backward(student, logits, q, real):
    return student.cross_entropy_backward(logits, q, real)


CALLS = [Call(smooth, {"q": 2}), Call(forward, {"loss": 3}), Call(backward, {"dlogits": 3})]
SLOW = {"smooth": smooth_targets_slowly, "forward": cross_entropy_slowly, "backward": cross_entropy_backward_slowly}


def terms_of_q(targets, vocab_size, eps):
    """What the target gets, and what every token gets."""
    onehot = np.arange(vocab_size) == targets[..., None]
    return {"the one-hot part": (1 - eps) * onehot, "the share of every token": eps / vocab_size + 0.0 * onehot}


def terms_of_dlogits(logits, q, real):
    """The probabilities, and the targets."""
    weights = real[..., None] / real.sum()
    return {
        "the probabilities": cross_entropy_backward_slowly(logits, 0 * q, real),
        "the targets": -q * weights,
    }


TERMS = {"q": terms_of_q, "dlogits": terms_of_dlogits}

PREDICTION = Prediction(
    "A model gives the right token a probability of 0.9999 everywhere. With eps = 0.1 and a vocabulary of 37,000, "
    "which way does training push that probability?",
    {"a": "further up, towards 1", "b": "nowhere: such a model is done", "c": "down, towards 0.9"},
    answer="c",
    because="The gradient of a logit is p - q, and q of the right token is 0.9 and a little. Where p is larger than q "
    "the logit is pushed down. A smoothed loss never reaches 0.",
)

MISTAKES = [
    Mistake(
        "over_v_minus_1",
        "the right token has 1 - eps exactly, and the V - 1 others share eps",
        Edit("onehot + eps / vocab_size", "onehot + eps / (vocab_size - 1) * (1 - onehot)"),
        ask="Among how many tokens is eps shared in the formula, and is the right one of them?",
    ),
    Mistake(
        "over_v_minus_2",
        "q shares eps among V - 2 tokens, all but the right one and padding",
        Edit(
            "onehot + eps / vocab_size",
            "onehot + eps / (vocab_size - 2) * (1 - onehot) * (np.arange(vocab_size) != 0)",
        ),
        ask="Does the formula leave out any token, be it the right one or padding?",
    ),
    Mistake(
        "sum_below_1",
        "the rows of q do not add up to 1: the right token has 1 - eps, the others eps / V",
        Edit("onehot + eps / vocab_size", "onehot + eps / vocab_size * (1 - onehot)"),
        ask="What must a row of q add up to? Print q.sum(-1).",
    ),
    Mistake(
        "sum_above_1",
        "the rows of q do not add up to 1: the right token has 1 and more",
        Edit("(1 - eps) * onehot", "onehot"),
        ask="What must a row of q add up to? Print q.sum(-1).",
    ),
    Mistake(
        "padding_counted",
        "padding rows count like real ones",
        Edit("losses[real].mean()", "losses.mean()"),
        Edit("np.where(real[..., None], p - q, 0) / n", "(p - q) / real.size"),
        ask="Change a score in a padding row. May the loss move?",
    ),
    Mistake(
        "padding_summed",
        "{part} is what comes out when padding rows are in the sum of the loss, though not in what it is divided by",
        Edit("losses[real].mean()", "losses.sum() / real.sum()"),
        Edit("np.where(real[..., None], p - q, 0) / n", "(p - q) / n"),
        ask="Change a score in a padding row. May the loss move, and so what is the gradient there?",
    ),
    Mistake(
        "divided_by_all",
        "{part} is what comes out when padding rows are left out of the sum of the loss, but counted in what it is "
        "divided by",
        Edit("losses[real].mean()", "losses[real].sum() / real.size"),
        Edit("n = int(real.sum())", "n = real.size"),
        ask="Append a column of padding to the batch. May the loss change?",
    ),
    Mistake(
        "mean_of_means",
        "{part} is what comes out when the loss is a mean over sentences of their means: a token of a short sentence "
        "counts for more",
        Edit("losses[real].mean()", "((losses * real).sum(1) / real.sum(1)).mean()"),
        Edit("n = int(real.sum())", "n = real.sum(1)[:, None, None] * len(real)"),
        ask="One sentence has 2 real tokens, the other 20. How much does a token of each weigh in your loss?",
    ),
    Mistake(
        "divided_by_sentences",
        "{part} is what comes out when the loss is divided by the number of sentences, not of tokens",
        Edit("losses[real].mean()", "losses[real].sum() / len(real)"),
        Edit("n = int(real.sum())", "n = len(real)"),
        ask="The same model, as many sentences, each twice as long. What becomes of {part} in your code?",
    ),
    Mistake(
        "not_divided",
        "{part} is what comes out when the loss is a sum over the real tokens, not their mean",
        Edit("losses[real].mean()", "losses[real].sum()"),
        Edit("n = int(real.sum())", "n = 1"),
        ask="Put every sentence into the batch twice. What should happen to the loss?",
    ),
    Mistake(
        "divided_twice",
        "dlogits is divided by the number of real tokens twice",
        Edit("n = int(real.sum())", "n = int(real.sum()) ** 2"),
        ask="How large is the sum of |p - q| over a batch, and how large should that of |dlogits| be, next to it?",
    ),
    Mistake(
        "stopped_at_p",
        "dlogits is the gradient of the probabilities: -q / p",
        Edit("p - q, 0)", "-q / p, 0)"),
        ask="The loss depends on p, and p on every logit of its row. How many of the two steps has the gradient gone?",
    ),
    *(
        Mistake(
            f"{tiny}_added",
            f"loss is what comes out when no p is nearer to 0 than {tiny} as its logarithm is taken",
            Edit(
                "shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))",
                f"np.log(np.exp(shifted) / np.exp(shifted).sum(-1, keepdims=True) + {tiny})",
            ),
            ask="A score lies 800 below another. What is its ln p by the formula, and what is it in your code?",
        )
        for tiny in ("1e-8", "1e-9", "1e-10", "1e-12", "1e-15")
    ),
    Mistake(
        "id_0_is_padding",
        "the row of q is 0 wherever the target is 0",
        Edit(
            "return (1 - eps) * onehot + eps / vocab_size",
            "return ((1 - eps) * onehot + eps / vocab_size) * (targets > 0)[..., None]",
        ),
        ask="Which ids may a target have, and which of the functions gets to know what is padding?",
    ),
    Mistake(
        "nothing_taken_off",
        "{part} is not finite: a power is inf, or a p is 0 where its logarithm is taken",
        Edit("shifted = logits - logits.max(-1, keepdims=True)", "shifted = logits"),
        Edit("raised = np.exp(logits - logits.max(-1, keepdims=True))", "raised = np.exp(logits)"),
        ask="What is np.exp(800) in floats, what is np.exp(-800), and what do your next lines make of them?",
    ),
    Mistake(
        "v_minus_1_for_all",
        "the rows of q do not add up to 1: every token, the right one too, gets eps / (V - 1)",
        Edit("onehot + eps / vocab_size", "onehot + eps / (vocab_size - 1)"),
        ask="Among how many tokens is eps shared in the formula, and how many get a share in your lines?",
    ),
    Mistake(
        "one_maximum_for_all",
        "{part} is what comes out when the largest score of the whole batch is taken off every row",
        Edit("shifted = logits - logits.max(-1, keepdims=True)", "shifted = logits - logits.max()"),
        Edit("np.exp(logits - logits.max(-1, keepdims=True))", "np.exp(logits - logits.max())"),
        ask="One row has scores near 0, another near 800. What is the exponential of the first, less 800?",
    ),
    Mistake(
        "entropy_taken_off",
        "loss is what comes out when the entropy of q is taken off: it would be 0 where p = q",
        Edit("-(q * log_p).sum(-1)", "(q * (np.log(q) - log_p)).sum(-1)"),
        ask="Where does ln q occur in the formula of the loss?",
    ),
    Mistake(
        "right_token_alone",
        "{part} is what comes out when q counts as 1 for the right token and as 0 for all others",
        Edit("-(q * log_p).sum(-1)", "-np.where(q == q.max(-1, keepdims=True), log_p, 0).sum(-1)"),
        Edit("p - q, 0)", "p - (q == q.max(-1, keepdims=True)), 0)"),
        ask="Over how many tokens of a row does the sum in the formula run?",
    ),
]

HINTS = [
    "np.eye(V) has the one-hot vector of token v in row v: an array of ids picks its rows. For the loss, work out one "
    "number a row, (B, T), before you think of padding and of the mean.",
    "ln p is the score less the logarithm of the sum of exponentials, both after the largest score is taken off. "
    "(np.log of a p that was rounded to 0 is infinite.) For the mean, booleans multiply as 0 and 1, and their sum "
    "counts the True.",
    "The loss: the sum over v of q times ln p, with a minus; times real; summed; divided by the number of real tokens. "
    "The gradient: softmax less q, times the weight of its row, which is 0 or one over that number, with an axis "
    "of length 1 at its end.",
]

ALTERNATIVES = [
    """
def smooth_targets(targets, vocab_size, eps):
    return smooth_targets_slowly(targets, vocab_size, eps)


def cross_entropy(logits, q, real):
    return cross_entropy_slowly(logits, q, real)


def cross_entropy_backward(logits, q, real):
    return cross_entropy_backward_slowly(logits, q, real)
""",
    """
def smooth_targets(targets, vocab_size, eps):
    q = np.full((*targets.shape, vocab_size), eps / vocab_size)
    np.put_along_axis(q, targets[..., None], 1 - eps + eps / vocab_size, -1)
    return q


def cross_entropy(logits, q, real):
    z, q = logits[real], q[real]
    z = z - z.max(-1, keepdims=True)
    return float(np.mean(np.log(np.exp(z).sum(-1)) - (q * z).sum(-1)))


def cross_entropy_backward(logits, q, real):
    dlogits = np.zeros_like(logits)
    e = np.exp(logits[real] - logits[real].max(-1, keepdims=True))
    dlogits[real] = (e / e.sum(-1, keepdims=True) - q[real]) / real.sum()
    return dlogits
""",
    """
def smooth_targets(targets, vocab_size, eps):
    q = np.zeros(targets.shape + (vocab_size,))
    rows, columns = np.indices(targets.shape)
    q[rows, columns, targets] = 1 - eps
    q += eps / vocab_size
    return q


def cross_entropy(logits, q, real):
    top = logits.max(axis=2)
    log_sum = top + np.log(np.exp(logits - top[:, :, None]).sum(axis=2))
    losses = log_sum * q.sum(axis=2) - np.einsum("btv,btv->bt", q, logits)
    return np.where(real, losses, 0).sum() / np.count_nonzero(real)


def cross_entropy_backward(logits, q, real):
    flat = logits.reshape(-1, logits.shape[-1])
    p = np.exp(flat - flat.max(1)[:, None])
    p /= p.sum(1)[:, None]
    d = np.where(real.reshape(-1)[:, None], p - q.reshape(flat.shape), 0.0)
    return (d / sum(real.reshape(-1))).reshape(logits.shape)
""",
]
