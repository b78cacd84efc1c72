import math

import numpy as np
import pytest

from npformer import InputError
from npformer.decoding import greedy_decode, sample

PAD, BOS, EOS = 0, 2, 3
SRC = np.array([[4, 5, 6, EOS], [7, EOS, 0, 0], [9, 8, EOS, 0]])
N_DRAWS = 4000


def draw(model, src, seed=0, **settings):
    return sample(
        model, src, bos_id=BOS, rng=np.random.default_rng(seed), **{"eos_id": EOS, **settings}
    )


def test_top_k_of_one_equals_greedy_decoding(make_model):
    model = make_model(seed=2, dtype="float64")
    assert draw(model, SRC, top_k=1, temperature=3.0) == greedy_decode(
        model, SRC, bos_id=BOS, eos_id=EOS
    )


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("top_k", [None, 3, 50])
def test_first_token_frequencies_match_softmax(make_model, temperature, top_k):
    model = make_model(seed=3, dtype="float64").eval()
    logits = model.forward(SRC[1:2], np.array([[BOS]]))[0, 0] / temperature
    logits[PAD] = -np.inf
    if top_k == 3:
        logits[np.argsort(-logits)[3:]] = -np.inf
    p = np.exp(logits - logits.max())
    expected = N_DRAWS * p / p.sum()

    firsts = draw(
        model,
        np.repeat(SRC[1:2], N_DRAWS, 0),
        eos_id=-1,
        temperature=temperature,
        top_k=top_k,
        max_extra_tokens=-1,
    )
    counts = np.bincount(np.ravel(firsts), minlength=12)
    assert counts[expected == 0].sum() == 0
    chi_square = ((counts - expected)[expected > 0] ** 2 / expected[expected > 0]).sum()
    freedom = (expected > 0).sum() - 1
    assert chi_square < freedom + 4 * math.sqrt(2 * freedom)


def test_same_seed_gives_same_translations(make_model):
    model = make_model(seed=4)
    assert draw(model, SRC, seed=5) == draw(model, SRC, seed=5)
    assert draw(model, SRC, seed=5) != draw(model, SRC, seed=6)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"temperature": 0}, "temperature = 0: expected a number above 0"),
        ({"temperature": -1.0}, "temperature = -1.0"),
        ({"temperature": math.nan}, "temperature = nan"),
        ({"temperature": math.inf}, "temperature = inf"),
        ({"top_k": 0}, "top_k = 0: expected 1 or more tokens to draw from, or None for all"),
    ],
)
def test_invalid_settings_are_rejected_in_one_line(make_model, settings, expected):
    with pytest.raises(InputError) as caught:
        draw(make_model(), SRC, **settings)
    assert expected in str(caught.value) and "\n" not in str(caught.value)
