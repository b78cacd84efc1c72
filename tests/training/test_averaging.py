import numpy as np
import pytest

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
