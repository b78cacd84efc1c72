"""How the answers to second_bug_hunt are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from ..bug_hunt.verdicts import EXPECTED, IMPLEMENTATIONS, sealed_lines, verdicts
from .exercise import CODE
from .implementations import implementations

WRONG_LINES = {  # of the functions in CODE, counted from 1
    "split_heads": 5,
    "embedding_backward": 5,
    "tied_backward": 6,
}


def inputs(draw):
    """Draw the order in which each test meets the implementations, and a seal for the answers."""
    seal = int(draw.rng.integers(10**6))
    drawn = {f"order{i}": draw.rng.permutation(6) for i in range(len(CODE))}
    return {**drawn, "seal": seal}


def on_split_heads(student, order0):
    six = implementations("split_heads")
    return verdicts(student.test_split_heads, six, order0)


def on_embedding(student, order1):
    six = implementations("embedding_backward")
    return verdicts(student.test_embedding_backward, six, order1)


def on_tied(student, order2):
    six = implementations("tied_backward")
    return verdicts(student.test_tied_backward, six, order2)


def lines(student, seal):
    return sealed_lines(CODE, student.guilty_lines(), seal)


def right_lines(seal):
    return sealed_lines(CODE, WRONG_LINES, seal)


OF_SPLIT_HEADS = list(IMPLEMENTATIONS)
OF_SPLIT_HEADS[2] = "on right code in a third style"

EXERCISE = Exercise(
    minutes=45,
    difficulty=4,
    importance=4,
    needs=("bug_hunt", "heads", "embedding_backward", "tied_generator"),
    inputs=inputs,
    unchanged=0,
    calls=[
        Call(on_split_heads, {"test of split_heads": 2}),
        Call(on_embedding, {"test of embedding_backward": 2}),
        Call(on_tied, {"test of tied_backward": 2}),
        Call(lines, {f"line of {name}": 1 for name in CODE}),
    ],
    axes={
        "test of split_heads": tuple(OF_SPLIT_HEADS),
        "test of embedding_backward": IMPLEMENTATIONS,
        "test of tied_backward": IMPLEMENTATIONS,
        **{f"line of {name}": () for name in CODE},
    },
    slow={
        "on_split_heads": lambda order0: EXPECTED,
        "on_embedding": lambda order1: EXPECTED,
        "on_tied": lambda order2: EXPECTED,
        "lines": right_lines,
    },
    prediction=Prediction(
        "A test of embedding_backward draws six ids at random from a vocabulary of 37,000. The "
        "implementation is wrong for a word that occurs twice. How often will the test fail, if "
        "it runs with other random numbers each time?",
        {"a": "nearly always", "b": "about once in six runs", "c": "about once in 2,500 runs"},
        answer="c",
        because=(
            "Six ids make 15 pairs, and each pair is the same word once in 37,000. A test on "
            "random inputs sees what is common in them and nothing else: what has to occur must "
            "be written down, or drawn from a vocabulary so small that it must occur."
        ),
    ),
    hints=[
        "For two of the three, the recipe of the first hunt will do: call the implementation, and "
        "compare with the numeric gradient of the forward. A table with two uses gets the sum of "
        "two such gradients. split_heads has no forward: say by slices or by a loop which number "
        "must stand where.",
        "Read the wrong line as a formula and ask for which inputs it gives the same as the right"
        " one: one position, no id twice, one of two gradients zero. Your inputs must be none of "
        "these.",
        "On tolerances: the numeric gradient is right to about 1e-9 of the largest entry, other "
        "roundings to 1e-10, and a bug is seldom below 1e-2. Anything between 1e-8 and 1e-4 "
        "separates them. The lines: split_heads lets features of one head come from other "
        "positions; each of the other two has a line after which something is lost that the table "
        "had.",
    ],
)
