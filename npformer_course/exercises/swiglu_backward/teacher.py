"""How the answers to swiglu_backward are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import sigmoid, silu, swiglu_backward_slowly


def inputs(draw, B, T, D, F):
    """Draw what a network left in forward.

    At the last of several positions x is 0, and with it all that the network makes of it.
    """
    x = draw.normal(B, T, D)
    if B * T > 1:
        x[-1, -1] = 0
    w_gate = draw.normal(D, F)
    w1 = draw.normal(D, F)
    return {
        "dy": draw.normal(B, T, D),
        "x": x,
        "before": x @ w_gate,
        "value": x @ w1,
        "w_gate": w_gate,
        "w1": w1,
        "w2": draw.normal(F, D),
    }


def backward(student, dy, x, before, value, w_gate, w1, w2):
    return student.swiglu_backward(dy, x, before, value, w_gate, w1, w2)


def terms_of_dx(dy, x, before, value, w_gate, w1, w2):
    """The two ways from x to y."""
    dproduct = dy @ w2.T
    s = sigmoid(before)
    dbefore = dproduct * value * (s + before * s * (1 - s))
    return {
        "what comes through the value": (dproduct * silu(before)) @ w1.T,
        "what comes through the gate": dbefore @ w_gate.T,
    }


EXERCISE = Exercise(
    minutes=25,
    difficulty=3,
    importance=3,
    needs=("linear", "feed_forward_backward"),
    inputs=inputs,
    calls=[Call(backward, {"dx": 3, "dw_gate": 2, "dw1": 1, "dw2": 1})],
    slow={"backward": swiglu_backward_slowly},
    terms={"dx": terms_of_dx},
    prediction=Prediction(
        "A hidden number has the value 0 at a position, and its gate is open. Which gradients "
        "pass through it there: to its column of the gate's matrix, and to its column of w1?",
        {
            "a": "to neither: the product is 0",
            "b": "to w1, and not to the gate's matrix",
            "c": "to the gate's matrix, and not to w1",
        },
        answer="b",
        because=(
            "Each factor gets the gradient times the other factor. The gate gets it times 0: "
            "however far it opens, nothing passes. The value gets it times the gate, which is not "
            "0. In a ReLU network a hidden number of 0 passes nothing to its column of w1."
        ),
    ),
    hints=[
        "Go back step by step, the last one first: the product with w2, the product of gate and "
        "value, SiLU, and the two linear maps. Give the gradient between each two steps a name, "
        "and write its shape next to it.",
        "For the slope of SiLU take the product rule to b times sigma(b): two terms. In one of "
        "them sigma(b) is left, in the other one b times the slope of the sigmoid, which the text "
        "has. It is taken at what went into SiLU.",
        "Behind w2 you hold dproduct, (B, T, F). Times the gate it is the gradient of the value. "
        "Times the value, and times the slope, it is the gradient of `before`. Each of the two "
        "goes through its linear map to x, and their sum is dx; with x each gives the gradient of "
        "its matrix. That of w2 needs the product of gate and value.",
    ],
)
