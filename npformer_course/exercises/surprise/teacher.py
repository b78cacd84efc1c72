"""How the answers to surprise are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import bits_per_character_slowly, surprise_slowly

FAR = 800.0


def inputs(draw, T, V):
    """Draw logits, others that are far from 0, the ids that came, and surprises of both.

    Of the far logits some are FAR above 0, some below, and a right one is FAR below the largest.
    """
    far = 1.5 * draw.normal(4, V)
    far_ids = draw.rng.integers(V, size=4)
    far_ids[3] = (far_ids[0] + 1) % V  # the two right ids that are far below differ
    far[0, far_ids[0]] -= FAR
    far[1] += FAR
    far[2] -= FAR
    far[3] -= 2 * FAR  # so that the mean of the row is far below its largest, too
    far[3, far_ids[3]] += FAR
    far[3, far_ids[3] - 1] += 2 * FAR
    ids = draw.rng.integers(V, size=T)
    ids[0] = V - 1
    far_nats = draw.rng.uniform(0.1, 4, T)
    far_nats[0] += FAR
    return {
        "logits": 1.5 * draw.normal(T, V),
        "ids": ids,
        "far": far,
        "far_ids": far_ids,
        "nats": draw.rng.uniform(0.1, 4, T),
        "far_nats": far_nats,
    }


def nats_of_text(student, logits, ids):
    return student.surprise(logits, ids)


def nats_of_far(student, far, far_ids):
    return student.surprise(far, far_ids)


def bits(student, nats):
    return student.bits_per_character(nats)


def bits_of_far(student, far_nats):
    return student.bits_per_character(far_nats)


EXERCISE = Exercise(
    minutes=15,
    difficulty=2,
    importance=4,
    needs=("softmax", "loss_gradient"),
    inputs=inputs,
    calls=[
        Call(nats_of_text, {"surprise": 3}),
        Call(nats_of_far, {"surprise of far logits": 1}),
        Call(bits, {"bits per character": 1}),
        Call(bits_of_far, {"bits per character of far logits": 1}),
    ],
    slow={"nats_of_text": surprise_slowly, "bits": bits_per_character_slowly},
    prediction=Prediction(
        "A text has two letters, A and B, in random order, each half of the time. What are the bits "
        "per character of the best possible model, and what are those of one that is certain of A "
        "at every position?",
        {
            "a": "0.5 and 0.5: each is wrong half of the time",
            "b": "1 and infinite",
            "c": "1 and 1: both know the same about the next letter",
        },
        answer="b",
        because=(
            "The best model says one half for each letter, and each costs one bit. To be certain of "
            "A gives B the probability 0, and its surprise is infinite. A model pays for "
            "confidence, not for being wrong."
        ),
    ),
    hints=[
        "The second form of the surprise needs two numbers of each row of the logits: the logarithm "
        "of a sum over the row, and the logit of one place in it.",
        "With an array of row numbers and an array of column numbers as indices, NumPy takes one "
        "number for each pair. The row numbers here are 0, 1, 2 and so on.",
        "Subtract from each row its largest logit, which changes no probability. Then take the "
        "logarithm of the sum of the powers, less the logit of the right id. For bits, take the "
        "mean, and divide by the nats that one bit has.",
    ],
)
