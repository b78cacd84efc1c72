"""The answers to the checkpoints: ten questions at the end of each part of the course.

The questions are in the notebooks that end a part.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from npformer.utils.errors import InputError, one_line

CLOSE = 0.02  # the largest relative error of a number that counts as right


@dataclass(frozen=True)
class Question:
    """A question.

    Arguments:
        right: The right answer: a letter, a number, or a tuple of numbers such as a shape.
        because: Why, shown with a right answer.
        hint: What to think about, shown with a wrong answer. It does not give the answer away.
    """

    right: Any
    because: str
    hint: str


SEE_IT = {
    "impossible": Question(
        "c",
        "A score of -5 still gets exp(-6) = 0.2 % of the weight of a score of 1. Only a distance "
        "at which exp rounds to 0 gives an exact 0, and minus infinity always does.",
        "Softmax sees distances between scores. How small is exp of each distance?",
    ),
    "ratio": Question(
        math.exp(3),
        "exp(a) / exp(b) = exp(a - b), and nothing else in the row matters.",
        "Write both weights by the formula and divide. What cancels?",
    ),
    "spread": Question(
        16.0,
        "256 products of variance 1 add up to a variance of 256; its root is 16. So it is divided "
        "by the root of d_k.",
        "Variances of independent numbers add up. What is asked is the standard deviation.",
    ),
    "scores": Question(
        (2, 4, 7, 10),
        "One score for each query and each key, in each head of each sentence.",
        "Which axes stay, and which one does the product sum over?",
    ),
    "parameters": Question(
        16384,
        "Four matrices of 64 times 64. More heads cut the same columns into narrower blocks.",
        "How many matrices are there, and what shape do they have before they are cut into heads?",
    ),
    "order": Question(
        "b",
        "Scores depend on what two words are, not on where: each output row moves with its word. "
        "Positions have to be written into the vectors.",
        "Follow one word through scores, softmax and weighted mean. Where does its place enter?",
    ),
    "norm": Question(
        "a",
        "The mean takes the 10 away and the standard deviation the 2.",
        "What is subtracted from every feature, and by what is the rest divided?",
    ),
    "network": Question(
        "a",
        "The feed-forward network works on each position by itself. Attention mixes positions.",
        "Which array of the network has an axis of positions in what it sums over?",
    ),
    "pairs": Question(
        14,
        "The causal mask leaves 1 + 2 + 3 + 4 + 5 pairs. The padding at the end could only be seen "
        "by itself, so one pair is lost.",
        "Draw the five rows of the causal mask, and then cross out the column of the padding.",
    ),
    "cross": Question(
        (4, 3, 10),
        "Queries come from the three positions that are written, keys from the ten of the source.",
        "Who asks in cross-attention, and who answers?",
    ),
}

LEARN_IT = {
    "twice": Question(
        7.0,
        "What is used twice gets the sum of both gradients.",
        "Move the number a little: by how much does L move through each use, and in all?",
    ),
    "matrix": Question(
        "b",
        "The gradient of W has the shape of W: (D, F), a sum over all positions of all sentences.",
        "Which of the products has the shape of W? Over which axes must it sum?",
    ),
    "constant": Question(
        0.0,
        "dx = y (dy - sum(y dy)): what is the same for the whole row is taken off again, because "
        "the weights always sum to 1.",
        "Put dy + c into the formula, and remember what the weights sum to.",
    ),
    "sum": Question(
        0.0,
        "LayerNorm does not see a number that is added to all features, so its gradient has no "
        "part along that direction.",
        "Add a small number to every feature of x. What happens to y, and so to the loss?",
    ),
    "repeated": Question(
        (9.0, 12.0),
        "The row was used three times, and the three gradients add up.",
        "How often was this row of the table used?",
    ),
    "check": Question(
        "c",
        "In float64 a right backward agrees to 1e-7 and better. An error of 1e-3 that does not "
        "change with the step is a wrong formula, however small it looks.",
        "How exact is a central difference in float64, and what changes if you halve its step?",
    ),
    "logits": Question(
        (-0.3, 0.2, 0.1),
        "p minus the target, and nothing else.",
        "The gradient is a difference of two distributions. Which two?",
    ),
    "first_step": Question(
        0.001,
        "After the correction both means are those of the only gradient: g divided by the root of "
        "g squared is its sign.",
        "What are m and v after one step, once they are corrected, and what is their ratio?",
    ),
    "rate": Question(
        0.5,
        "After the warm-up the rate falls with the root of the number of updates.",
        "Which of the two terms of the minimum is smaller after the warm-up?",
    ),
    "leak": Question(
        "a",
        "Without the causal mask each position sees the token that it should predict. When the "
        "model writes, that token is not there yet.",
        "Which of these bugs lets the model see the answer?",
    ),
}

USE_IT = {
    "beam": Question(
        0.36,
        "0.4 times 0.9. Greedy takes the 0.6 first, and ends with 0.6 times 0.3 = 0.18.",
        "Write down both sentences of two words, each with its probability.",
    ),
    "merge": Question(
        "b",
        "u g occurs in all three words; h u in two of them, g s in one.",
        "Count each pair of neighbors in all words together.",
    ),
    "clipped": Question(
        0.25,
        "The reference has one 'the', so one of the four counts.",
        "How often may a word count, if the reference has it once?",
    ),
    "interval": Question(
        0.5,
        "The standard error falls with the root of the number of sentences, and 4 times as many "
        "give half of it.",
        "How does the error of a mean depend on the number of what is averaged?",
    ),
    "search": Question(
        1.0,
        "Number 2 is a search error: the right one is more probable, and the beam lost it. In the "
        "others the model prefers the wrong one, and a better search finds that too.",
        "Suppose that the search compared all sentences. Which of both would it return?",
    ),
    "temperature": Question(
        math.exp(4),
        "Divided by 0.5 the logits are 4 and 0, and exp(4 - 0) is the ratio.",
        "Divide the logits by the temperature first. What is the ratio of two softmax weights?",
    ),
    "nucleus": Question(
        0.5 / 0.9,
        "0.5 + 0.25 is less than 0.8, so the third token is kept too, and the kept ones are "
        "divided by their sum.",
        "How many tokens are needed to reach top_p, and what do their probabilities add up to?",
    ),
    "cache": Question(
        2560.0,
        "Keys and values, in 2 layers, 64 features each, for 10 tokens.",
        "What is kept of a token in each layer, and how many features do all heads have together?",
    ),
    "cross": Question(
        10.0,
        "One query, the newest one, looks at the ten positions of the memory, as always. The cache "
        "only avoids computing their keys again.",
        "Who asks at this step, and who can be looked at in cross-attention?",
    ),
    "pull": Question(
        -0.3,
        "p - q, with q = 1 for the right character.",
        "What does the model say of the right character, and what should it say?",
    ),
}

UNDERSTAND_IT = {
    "error_rate": Question(
        0.25,
        "1 - 2 times 3 / (4 + 4).",
        "The formula has the links that are in both sets, twice, over the sum of their sizes.",
    ),
    "flat": Question(
        "b",
        "Another head may do the same, and what the head brings may still be used. Only the "
        "pattern of this head is shown not to be needed.",
        "What exactly was changed, and what was left as it was?",
    ),
    "patch": Question(
        0.7,
        "From 6 to -4 it is 10, and the patch moves it by 7.",
        "How far is the whole way, and how far does it move?",
    ),
    "steps": Question(
        49.0,
        "The state is passed on once from each token to the next. Self-attention takes one step.",
        "How often is a state passed on between the two tokens?",
    ),
    "rotary": Question(
        1.3,
        "Both are turned further by the same angles, so the angle between them stays.",
        "On what does a score depend, if queries and keys are rotated by their positions?",
    ),
    "groups": Question(
        4.0,
        "The cache holds the keys and values of 2 heads instead of 8.",
        "Which arrays does the cache hold, and how many heads of them are there now?",
    ),
    "induction": Question(
        "c",
        "It looks for the token that came after the earlier one of its own kind, and predicts it "
        "again: B.",
        "Which position can say what came next the last time?",
    ),
    "uniform": Question(
        3.0,
        "Equal weights make a plain mean.",
        "What is each weight, if there are four of them and all are equal?",
    ),
    "shared": Question(
        (4.0, 1.0),
        "What is used twice gets the sum of both gradients.",
        "How often was this key used?",
    ),
    "ablate": Question(
        "b",
        "The mean is the same in every text, so it says nothing of the one at hand. What zeros "
        "take away besides is a constant.",
        "What do zeros take away that the mean leaves in place?",
    ),
}

QUESTIONS: dict[int, Mapping[str, Question]] = {
    1: SEE_IT,
    2: LEARN_IT,
    3: USE_IT,
    4: UNDERSTAND_IT,
}


class Checkpoint:
    """The questions of a part of the course, by name.

    Arguments:
        part: The number of the part, from 1.

    Raises `InputError` for a part without a checkpoint.

    >>> answer = Checkpoint(1)
    >>> answer("norm", "b")
    Not yet. What is subtracted from every feature, and by what is the rest divided?
    >>> answer("norm", "a")
    Right. The mean takes the 10 away and the standard deviation the 2.
    >>> answer.score()
    1 of 10 right, 0 of them at the first try. Not answered: 9.
    """

    def __init__(self, part: int):
        if part not in QUESTIONS:
            raise InputError(f"part {part} has no checkpoint: expected one of {list(QUESTIONS)}")
        self.questions = QUESTIONS[part]
        self._tries: dict[str, list[bool]] = {}

    def __call__(self, name: str, answer: Any = ...) -> None:
        """Check an answer: a letter, a number or a tuple; with the dots nothing is answered.

        Raises `InputError` for another name.
        """
        if name not in self.questions:
            known = ", ".join(self.questions)
            raise InputError(f"there is no question {name!r}: expected one of {known}")
        if answer is ...:
            print("Not answered yet.")
            return

        question = self.questions[name]
        if not _same_kind(answer, question.right):
            kind = _kind(question.right)
            print(f"{one_line(repr(answer))} is not an answer to this question: expected {kind}.")
            return
        right = _is_right(answer, question.right)
        self._tries.setdefault(name, []).append(right)
        print(f"Right. {question.because}" if right else f"Not yet. {question.hint}")

    def score(self) -> None:
        """Print how many questions are answered rightly, and how many at the first try."""
        right = [tries for tries in self._tries.values() if any(tries)]
        first = sum(tries[0] for tries in right)
        n_open = len(self.questions) - len(self._tries)
        print(
            f"{len(right)} of {len(self.questions)} right, {first} of them at the first try. "
            f"Not answered: {n_open}."
        )


def _kind(right: Any) -> str:
    if isinstance(right, str):
        return 'a letter, such as "a"'
    if isinstance(right, tuple):
        return f"{len(right)} numbers in brackets"
    return "a number"


def _same_kind(answer: Any, right: Any) -> bool:
    """Return whether an answer is a letter where one is asked for, or as many numbers."""
    if isinstance(right, str):
        return isinstance(answer, str)
    try:
        numbers = np.asarray(answer, float)
    except (TypeError, ValueError):
        return False
    return numbers.shape == np.shape(right)


def _is_right(answer: Any, right: Any) -> bool:
    if isinstance(right, str):
        return answer.strip().lower() == right
    wanted = np.asarray(right, float)
    error = np.abs(np.asarray(answer, float) - wanted)
    return bool((error <= CLOSE * np.maximum(np.abs(wanted), 1e-6)).all())
