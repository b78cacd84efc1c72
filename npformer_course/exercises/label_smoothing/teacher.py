"""How the answers to label_smoothing are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import cross_entropy_backward_slowly, cross_entropy_slowly, smooth_targets_slowly


def inputs(draw, B, T, V):
    """Draw targets to smooth, and a batch with padding.

    Every second position or so has scores near 800. At one position a single score is, so that the
    other probabilities are rounded to 0, and their logarithms are not.
    """
    V = max(V, 3)  # a known mistake divides by V - 2
    eps = draw.uniform(0.1, 0.4)
    ids = draw.ids(B, T, vocab_size=V)
    large = 800.0 * draw.rng.integers(0, 2, (B, T, 1))
    large[0, 0] = 800
    large = large + np.zeros(V)
    large[-1, 0] = 800.0 * (np.arange(V) == draw.rng.integers(V))
    targets = draw.ids(B, T, vocab_size=V, pad=False)
    targets[0, 0] = 0  # an id as any other
    real = ids != 0
    q = np.where(np.arange(V) == ids[..., None], 1 - eps, 0) + eps / V
    return {
        "targets": targets,
        "vocab_size": V,
        "eps": eps,
        "logits": 2 * draw.normal(B, T, V) + large,
        "q": np.where(real[..., None], q, draw.normal(B, T, V)),  # any numbers where padding is
        "real": real,
    }


def smooth(student, targets, vocab_size, eps):
    return student.smooth_targets(targets, vocab_size, eps)


def forward(student, logits, q, real):
    return student.cross_entropy(logits, q, real)


def backward(student, logits, q, real):
    return student.cross_entropy_backward(logits, q, real)


def terms_of_q(targets, vocab_size, eps):
    """What the target gets, and what every token gets."""
    onehot = np.arange(vocab_size) == targets[..., None]
    return {
        "the one-hot part": (1 - eps) * onehot,
        "the share of every token": eps / vocab_size + 0.0 * onehot,
    }


def terms_of_dlogits(logits, q, real):
    """The probabilities, and the targets."""
    weights = real[..., None] / real.sum()
    return {
        "the probabilities": cross_entropy_backward_slowly(logits, 0 * q, real),
        "the targets": -q * weights,
    }


EXERCISE = Exercise(
    minutes=45,
    difficulty=3,
    importance=4,
    needs=("softmax",),
    inputs=inputs,
    # so many that the single score near 800 is too large above the mean of its row as well
    sizes={"V": (10, 14)},
    calls=[Call(smooth, {"q": 2}), Call(forward, {"loss": 3}), Call(backward, {"dlogits": 3})],
    slow={
        "smooth": smooth_targets_slowly,
        "forward": cross_entropy_slowly,
        "backward": cross_entropy_backward_slowly,
    },
    terms={"q": terms_of_q, "dlogits": terms_of_dlogits},
    prediction=Prediction(
        "A model gives the right token a probability of 0.9999 everywhere. With eps = 0.1 and a "
        "vocabulary of 37,000, which way does training push that probability?",
        {
            "a": "further up, towards 1",
            "b": "nowhere: such a model is done",
            "c": "down, towards 0.9",
        },
        answer="c",
        because=(
            "The gradient of a logit is p - q, and q of the right token is 0.9 and a little. "
            "Where p is larger than q the logit is pushed down. A smoothed loss never reaches 0."
        ),
    ),
    hints=[
        "np.eye(V) has the one-hot vector of token v in row v: an array of ids picks its rows. "
        "For the loss, work out one number a row, (B, T), before you think of padding and of the "
        "mean.",
        "ln p is the score less the logarithm of the sum of exponentials, both after the largest "
        "score is taken off. (np.log of a p that was rounded to 0 is infinite.) For the mean, "
        "booleans multiply as 0 and 1, and their sum counts the True.",
        "The loss: the sum over v of q times ln p, with a minus; times real; summed; divided by "
        "the number of real tokens. The gradient: softmax less q, times the weight of its row, "
        "which is 0 or one over that number, with an axis of length 1 at its end.",
    ],
)
