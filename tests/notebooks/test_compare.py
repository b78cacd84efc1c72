"""A number next to the one of the text: what is printed, whatever a reader has changed."""

import numpy as np
import pytest

from helpers.compare import compare


@pytest.mark.parametrize(
    ("yours", "ours", "printed"),
    [
        (0.42, 0.38, "loss: you 0.42, here 0.38"),
        (0.3837, 0.38, "loss: 0.38, as here"),
        (np.float32(-0.3763), -0.38, "loss: -0.38, as here"),
        (0.0, 0, "loss: 0, as here"),
        (12_345, 11_000, "loss: you 12,345, here 11,000"),
        (float("inf"), 0.38, "loss: you inf, here 0.38"),
        (float("nan"), 0.38, "loss: you nan, here 0.38"),
        (None, 0.38, "loss: you NoneType, here 0.38"),
        ("0.38", 0.38, "loss: you str, here 0.38"),
        (np.ones(2), 0.38, "loss: you ndarray, here 0.38"),
        (np.ones(0), 0.38, "loss: you ndarray, here 0.38"),
    ],
)
def test_both_numbers_or_one_are_printed(yours, ours, printed, capsys):
    compare(yours, ours, "loss")
    assert capsys.readouterr().out == f"{printed}\n"


def test_tolerance_is_relative(capsys):
    compare(105, 100, "words", tolerance=0.1)
    compare(105, 100, "words", tolerance=0.01)
    assert capsys.readouterr().out == "words: 100, as here\nwords: you 105, here 100\n"
