"""The learning rate that rises in a line and falls along a cosine, against its closed form."""

import math

import numpy as np
import pytest

from npformer import InputError
from npformer.training import CosineSchedule, WarmupSchedule

PEAK, FINAL, WARMUP, DECAY = 1e-3, 1e-4, 100, 2000


def test_cosine_schedule_equals_closed_form():
    schedule = CosineSchedule(PEAK, warmup_steps=WARMUP, decay_steps=DECAY, final=FINAL)
    steps = np.arange(1, 2501)
    share = np.clip((steps - WARMUP) / (DECAY - WARMUP), 0, 1)
    expected = np.minimum(steps / WARMUP, 1) * (
        FINAL + (PEAK - FINAL) * np.cos(np.pi * share / 2) ** 2
    )
    expected[:WARMUP] = PEAK * steps[:WARMUP] / WARMUP
    np.testing.assert_allclose(schedule(steps), expected, rtol=1e-12)
    assert [schedule(step) for step in steps.tolist()] == schedule(steps).tolist()


def test_cosine_schedule_ends_at_zero_by_default():
    assert CosineSchedule(PEAK, warmup_steps=1, decay_steps=3)(3) == pytest.approx(0, abs=1e-18)


def test_final_rate_may_be_the_peak():
    schedule = CosineSchedule(PEAK, warmup_steps=2, decay_steps=9, final=PEAK)
    assert [schedule(step) for step in (1, 2, 5, 20)] == [PEAK / 2, PEAK, PEAK, PEAK]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"peak": 0}, "peak = 0: expected a number above 0"),
        ({"peak": math.nan}, "peak = nan: expected a number above 0"),
        ({"warmup_steps": 0}, "warmup_steps = 0: expected a number above 0"),
        ({"decay_steps": 100}, "decay_steps = 100: expected a number above warmup_steps = 100"),
        ({"decay_steps": math.inf}, "decay_steps = inf: expected a number above"),
        ({"final": -1e-9}, "final = -1e-09: expected a number from 0 to peak = 0.001"),
        ({"final": 2e-3}, "final = 0.002: expected a number from 0 to peak"),
        ({"final": math.nan}, "final = nan: expected a number from 0 to peak"),
    ],
)
def test_invalid_schedule_is_rejected(changed, message):
    settings = dict(peak=PEAK, warmup_steps=WARMUP, decay_steps=DECAY, final=FINAL) | changed
    with pytest.raises(InputError, match=message) as caught:
        CosineSchedule(**settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "kind", [WarmupSchedule(16, 10), CosineSchedule(0.1, warmup_steps=3, decay_steps=9)]
)
def test_rate_is_a_float_of_python(kind):
    """One of NumPy would turn float32 parameters to float64 in a step."""
    assert {type(kind(step)) for step in (1, 5, 20)} == {float}
    assert [kind(step) for step in (1, 5, 20)] == pytest.approx(kind(np.array([1, 5, 20])))
