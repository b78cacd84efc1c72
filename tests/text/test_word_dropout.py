"""Which tokens are hidden, how often, and by what that is decided."""

import numpy as np
import pytest

from npformer import InputError
from npformer.text import UNK, WordDropout

TEXTS = [[5, 6, 5, 7]] * 2000  # 5 comes 4,000 times, 6 and 7 2,000 times


def word_dropout_rates(texts, **how):
    dropout = WordDropout(texts, **how, seed=3)
    read, given = (np.array(side).reshape(-1) for side in (dropout.epoch(1), texts))
    assert set(read[read != given]) <= {UNK}
    return {
        token: float((read[given == token] == UNK).mean()) for token in sorted(set(given.tolist()))
    }


def test_word_dropout_rate():
    assert word_dropout_rates(TEXTS, share=0.3, rare=0) == pytest.approx(
        {5: 0.3, 6: 0.3, 7: 0.3}, abs=0.04
    )


def test_rare_tokens_are_dropped_more_often():
    """Of a token seen n times 1 - (1 - share) n / (rare + n)."""
    expected = {5: 1 - 0.9 * 4000 / 6000, 6: 1 - 0.9 * 2000 / 4000, 7: 1 - 0.9 * 2000 / 4000}
    assert word_dropout_rates(TEXTS, share=0.1, rare=2000) == pytest.approx(expected, abs=0.04)


def test_epoch_depends_only_on_seed_and_number():
    one, same, other = (WordDropout(TEXTS, share=0.5, rare=0, seed=seed) for seed in (0, 0, 1))
    first = one.epoch(1)
    one.epoch(7)
    assert first == one.epoch(1) == same.epoch(1)
    assert first != one.epoch(2) and first != other.epoch(1)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"share": 1.5}, "share = 1.5: expected a number of 0 or more, and below 1"),
        ({"share": -0.1}, "share = -0.1: expected a number of 0 or more, and below 1"),
        ({"share": float("nan")}, "share = nan: expected a number of 0 or more, and below 1"),
        ({"rare": -1}, "rare = -1: expected a number of 0 or more"),
    ],
)
def test_settings_out_of_range_are_rejected(settings, expected):
    with pytest.raises(InputError) as caught:
        WordDropout(TEXTS, **{"share": 0.1, "rare": 0, "seed": 0, **settings})
    assert str(caught.value) == expected
