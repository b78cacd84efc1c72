import numpy as np
import pytest

from npformer import InputError
from npformer.training import average_weights, select_epochs


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_mean_is_computed_per_array(dtype):
    rng = np.random.default_rng(0)
    states = [
        {"a": rng.normal(size=(3, 2)).astype(dtype), "b": rng.normal(size=4).astype(dtype)}
        for _ in range(5)
    ]
    mean = average_weights(iter(states))
    for name in "ab":
        assert mean[name].dtype == dtype
        np.testing.assert_allclose(
            mean[name], np.mean([state[name] for state in states], 0), rtol=1e-6
        )


def test_mean_is_independent_of_order():
    rng = np.random.default_rng(1)
    states = [{"w": rng.normal(size=100).astype("float32")} for _ in range(10)]
    assert (average_weights(states[:1])["w"] == states[0]["w"]).all()
    assert (average_weights(states)["w"] == average_weights(states[::-1])["w"]).all()


@pytest.mark.parametrize(
    ("losses", "number", "which", "expected"),
    [
        ([3.0, 2.0, 1.0], 1, "last", [3]),
        ([3.0, 2.0, 1.0], 5, "last", [1, 2, 3]),
        ([1.0, 2.0, 3.0], 1, "best", [1]),
        ([2.0, 1.0, 1.0, 1.5], 1, "best", [2]),
        ([2.0, 1.0, 3.0, 1.5], 3, "best", [1, 2, 4]),
        ([2.0, float("nan"), 1.0, float("nan"), 3.0], 2, "best", [1, 3]),
        ([float("nan"), 2.0], 1, "best", [2]),
        ([float("nan"), float("inf")], 1, "best", [2]),
        ([], 3, "best", []),
        ([], 3, "last", []),
    ],
)
def test_last_or_best_epochs_are_selected(losses, number, which, expected):
    assert select_epochs(losses, number, which) == expected


def test_average_of_nothing_is_rejected():
    with pytest.raises(InputError, match="no weights to average"):
        average_weights([])


@pytest.mark.parametrize(
    "other", [{"b": np.ones(2)}, {}, {"a": np.ones(1)}, {"a": np.ones((3, 2))}]
)
def test_weights_of_another_model_are_not_averaged(other):
    with pytest.raises(InputError, match="state 2 to average has other names or shapes"):
        average_weights([{"a": np.ones(2)}, other])


@pytest.mark.parametrize("which", ["last", "best"])
@pytest.mark.parametrize("number", [0, -1])
def test_fewer_than_one_epoch_is_rejected(number, which):
    with pytest.raises(InputError, match=f"number of epochs is {number}: expected 1 or more"):
        select_epochs([1.0, 2.0], number, which)


def test_unknown_choice_of_epochs_is_rejected():
    with pytest.raises(InputError, match="which = 'bset': expected 'last' or 'best'"):
        select_epochs([1.0, 2.0], 1, "bset")
