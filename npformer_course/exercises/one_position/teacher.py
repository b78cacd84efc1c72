"""How the answers to one_position are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import normalize_slowly, residual_slowly


def inputs(draw, D):
    """Draw a position, and another one whose mean is not 0 and whose spread is not 1."""
    return {
        "x": draw.normal(D),
        "f": draw.normal(D),
        "z": draw.uniform(1.5, 2.5) * draw.normal(D) + draw.uniform(1, 2),
        "gain": draw.gain(D),
        "bias": draw.normal(D),
        # large, so that it shows where it is left out
        "eps": draw.uniform(0.2, 0.5),
    }


def add(student, x, f):
    return student.residual(x, f)


def norm(student, z, gain, bias, eps):
    return student.normalize(z, gain, bias, eps)


def terms_of_y(z, gain, bias, eps):
    """The learned scale and the learned place."""
    return {
        "gain times the normalized z": normalize_slowly(z, gain, 0 * bias, eps),
        "the bias": bias,
    }


EXERCISE = Exercise(
    minutes=15,
    difficulty=1,
    importance=5,
    needs=("numpy",),
    inputs=inputs,
    sizes={"D": (3, 8)},
    calls=[Call(add, {"z": 1}), Call(norm, {"y": 4})],
    slow={"add": residual_slowly, "norm": normalize_slowly},
    terms={"y": terms_of_y},
    prediction=Prediction(
        "Every feature of z is multiplied by 3, and then 10 is added to each. What happens to the "
        "result of `normalize`? (Forget eps.)",
        {
            "a": "nothing",
            "b": "it is multiplied by 3, and 10 is added",
            "c": "it is multiplied by 3",
        },
        answer="a",
        because=(
            "The mean moves along by 10, and is taken off. The distances from it are three times "
            "as large, and so is the number that they are divided by. What is left says only how "
            "the features lie to each other."
        ),
    ),
    hints=[
        "Do the example on paper, with z = (5, 1, 0). Which two numbers of the whole row do you "
        "need before you can write down the first feature of y?",
        "The mean of a row is one number, and z minus a number is a row. The variance is again a "
        "mean of a row: that of the squared distances.",
        "Four steps: the row of distances from the mean; the mean of their squares; the root of "
        "that and eps together, so eps is added first; then gain times distances, divided by the "
        "root, and the bias last.",
    ],
)
