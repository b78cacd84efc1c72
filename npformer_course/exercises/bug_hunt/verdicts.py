"""What a student's test says of six implementations, and which line is named as wrong.

The second bug hunt uses it too.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

N_RIGHT = 3  # of the six implementations, the first
EXPECTED = np.array([0, 0, 0, 1, 1, 1])
IMPLEMENTATIONS = (
    "on right code",
    "on right code in another style",
    "on right code that rounds otherwise",
    "on the planted code",
    "on results twice as large",
    "on results of ones",
)


def rounded_differently(x):
    """Move numbers by up to 1e-10 of the largest."""
    return x + 1e-10 * np.abs(x).max() * np.cos(np.arange(x.size)).reshape(x.shape)


def doubled(x):
    return 2 * x


def with_changed_results(function: Callable, change: Callable) -> Callable:
    """Return a function whose results are those of `function`, each changed."""

    def changed(*args, **keywords):
        results = function(*args, **keywords)
        if isinstance(results, tuple):
            return tuple(change(result) for result in results)
        return change(results)

    return changed


def six_implementations(
    right: Callable, otherwise: Callable, planted: Callable, third: Callable | None = None
) -> list[Callable]:
    """Return the six on which a test is run, three right ones first.

    `otherwise` is right in another style, `planted` has the wrong line. The third is the right one,
    rounded differently, or `third`.
    """
    return [
        right,
        otherwise,
        third or with_changed_results(right, rounded_differently),
        planted,
        with_changed_results(right, doubled),
        with_changed_results(right, np.ones_like),
    ]


def verdicts(test: Callable, six: Sequence[Callable], order: Sequence[int]) -> np.ndarray:
    """Return for each implementation 0, the test passes it, or 1, it fails it.

    They are called in this order. 2 throughout stands for a test that passes all of them and
    returns what it should raise.
    """
    failures = np.zeros(len(order), int)
    returned = []
    for i in order:
        try:
            returned.append(test(six[i]))
        except AssertionError:
            failures[i] = 1
        except Exception as error:
            if i < N_RIGHT:
                raise
            test(six[0])  # raises as well, unless the exception comes of the wrong code
            what = f"{error} ({type(error).__name__})"
            raise RuntimeError(f"{what}, on wrong code: expected AssertionError") from error

    returns_something = any(value is not None for value in returned)
    if returns_something and not failures.any():
        return failures + 2
    return failures


def number_of(code: str, answer) -> int:
    """Return the line of the code that an answer names by its number or its text, or 0."""
    if isinstance(answer, str):
        lines = [line.strip() for line in code.split("\n")]
        text = answer.strip()
        return 1 + lines.index(text) if text in lines else 0
    if isinstance(answer, bool) or not isinstance(answer, int | np.integer):
        return 0
    return int(answer)


def sealed_lines(code: Mapping[str, str], answers: Mapping, seal: int) -> tuple[int, ...]:
    """Return four digits for each function of `code`, in place of the line that is named.

    By them a right answer is recognized and not betrayed.
    """
    sealed = []
    for name in code:
        number = number_of(code[name], answers.get(name))
        sealed.append(1000 + zlib.crc32(f"{name} {number} {seal}".encode()) % 9000)
    return tuple(sealed)
