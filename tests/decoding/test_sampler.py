"""From which tokens one is drawn, exactly, and how often each."""

import numpy as np
import pytest

from npformer import InputError
from npformer.decoding import Sampler

P = np.array([0.05, 0.4, 0.15, 0.3, 0.1])  # by rank: 1, 3, 2, 4, 0
N_DRAWS = 4000


def drawn(n=N_DRAWS, p=P, seed=0, **how):
    """Draw n tokens of probabilities p, as rows of one batch."""
    return Sampler(rng=seed, **how)(np.log(np.repeat(p[None], n, 0)))


def assert_sample_frequencies(tokens, expected):
    """A chi-square that is no more than four standard deviations too large, and no token that
    cannot come.
    """
    expected = np.asarray(expected) / np.sum(expected) * len(tokens)
    counts = np.bincount(tokens, minlength=len(expected))
    assert counts[expected == 0].sum() == 0
    chi_square = ((counts - expected)[expected > 0] ** 2 / expected[expected > 0]).sum()
    freedom = (expected > 0).sum() - 1
    assert chi_square < freedom + 4 * np.sqrt(2 * max(freedom, 1))


def only(*kept):
    return np.where(np.isin(np.arange(5), kept), P, 0)


@pytest.mark.parametrize(
    ("top_p", "kept"),
    [
        (0.01, [1]),
        (0.39, [1]),
        (0.41, [1, 3]),
        (0.69, [1, 3]),
        (0.71, [1, 3, 2]),
        (0.86, [1, 3, 2, 4]),
        (0.96, [0, 1, 2, 3, 4]),
        (1.0, [0, 1, 2, 3, 4]),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_top_p_keeps_smallest_most_probable_set(top_p, kept, dtype):
    tokens = drawn(p=P.astype(dtype), top_p=top_p)
    assert set(tokens) == set(kept)
    assert_sample_frequencies(tokens, only(*kept))


def test_top_p_reached_exactly_is_sufficient():
    """Four tokens of 1/4, which are exact: three reach 3/4, and the fourth is not needed."""
    p = np.full(4, 0.25)
    assert [len(set(drawn(p=p, top_p=share))) for share in (0.25, 0.5, 0.75, 0.76)] == [1, 2, 3, 4]


def test_top_p_is_applied_to_renormalized_top_k():
    """Of the three most probable 0.4, 0.3 and 0.15 become 0.47, 0.35 and 0.18: two reach 0.8, not
    0.83.
    """
    assert_sample_frequencies(drawn(top_k=3, top_p=0.8), only(1, 3))
    assert_sample_frequencies(drawn(top_k=3, top_p=0.83), only(1, 3, 2))
    assert set(drawn(top_p=0.8)) == {1, 3, 2}
    assert_sample_frequencies(drawn(top_k=1, top_p=0.99), only(1))


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_temperature_is_applied_before_top_p(temperature):
    sharpened = P ** (1 / temperature)
    sharpened /= sharpened.sum()
    order = np.argsort(-sharpened)
    n = int(np.searchsorted(sharpened[order].cumsum(), 0.75)) + 1
    assert n == {0.5: 2, 2.0: 4}[temperature]
    expected = np.where(np.isin(np.arange(5), order[:n]), sharpened, 0)
    assert_sample_frequencies(drawn(temperature=temperature, top_p=0.75), expected)


def test_token_with_score_minus_infinity_is_never_sampled():
    logits = np.log(np.repeat(P[None], 2000, 0))
    logits[:, [1, 3]] = -np.inf
    for how in ({}, {"top_k": 4}, {"top_p": 0.999}, {"temperature": 50.0}):
        assert set(Sampler(rng=0, **how)(logits)) == {0, 2, 4}


@pytest.mark.parametrize("top_p", [0, -0.5, 1.01, float("nan")])
def test_invalid_top_p_is_rejected(top_p):
    message = f"^top_p = {top_p}: expected a probability above 0 and at most 1$"
    with pytest.raises(InputError, match=message):
        Sampler(top_p=top_p)
