"""What a Transformer is given at its door: ids, and how many, and how long."""

import numpy as np
import pytest

from npformer import InputError

GOOD = np.array([[4, 5, 3], [6, 3, 0]])

BAD = {
    "source id too large": (GOOD + 8, GOOD, "got the id 14: expected ids in 0 .. 11"),
    "target id too large": (GOOD, GOOD + 8, "got the id 14: expected ids in 0 .. 11"),
    "negative id": (GOOD - 1, GOOD, "got the id -1"),
    "ids that are no integers": (GOOD.astype(float), GOOD, "token ids must be integers"),
    "ids that are booleans": (GOOD, GOOD > 0, "token ids must be integers"),
    "more sources": (GOOD, GOOD[:1], "src has 2 sentences and tgt 1"),
    "more targets": (GOOD[:1], GOOD, "src has 1 sentences and tgt 2"),
    "source longer than max_len": (
        np.full((2, 21), 4),
        GOOD,
        "got 21 positions, more than max_len = 20",
    ),
    "target longer than max_len": (
        GOOD,
        np.full((2, 21), 4),
        "got 21 positions, more than max_len = 20",
    ),
    "empty source": (np.zeros((2, 0), int), GOOD, "ids have shape (2, 0): expected"),
    "empty target": (
        GOOD,
        np.zeros((2, 0), int),
        "ids have shape (2, 0): expected (batch, length)",
    ),
    "empty batch": (
        np.zeros((0, 3), int),
        np.zeros((0, 3), int),
        "ids have shape (0, 3): expected (batch, length)",
    ),
    "numbers alone": (np.array(5), np.array(5), "ids have shape (): expected (batch, length)"),
    "a single sentence without its batch": (GOOD[0], GOOD[0], "expected (batch, length)"),
}


@pytest.mark.parametrize(("src", "tgt", "expected"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_invalid_ids_are_rejected_in_one_line(make_model, positions, src, tgt, expected):
    with pytest.raises(InputError) as caught:
        make_model(positions=positions).forward(src, tgt)
    assert expected in str(caught.value) and "\n" not in str(caught.value)
