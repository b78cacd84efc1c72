"""A loss or a gradient that is no number stops training before anything has changed."""

import math
import sys

import numpy as np
import pytest

from npformer import InputError
from npformer.tasks import LabelSmoothingLoss
from npformer.training import data_parallel

clipped = pytest.mark.parametrize("clip_norm", [None, 0.5])


@pytest.fixture(params=[(1, True), (2, True), (2, False)], ids=["alone", "processes", "threads"])
def workers(request, monkeypatch):
    n, fork = request.param
    monkeypatch.setattr(
        data_parallel, "_can_fork", lambda communicator: fork and sys.platform == "linux"
    )
    return n


def everything(trainer):
    """All that an update changes, as bytes."""
    arrays = {**trainer.objective.state_dict(), **trainer.optimizer.state_dict()}
    place = trainer.optimizer.steps, trainer.epoch, trainer.batches_done
    return {name: array.tobytes() for name, array in arrays.items()}, place


def assert_stops(trainer, expected):
    before = everything(trainer)
    with pytest.raises(InputError, match=expected) as caught:
        next(trainer.updates(5))
    assert "\n" not in str(caught.value) and "lower the learning rate" in str(caught.value)
    assert everything(trainer) == before


@clipped
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_nan_loss_stops_training(make_trainer, clip_norm, workers, value):
    trainer = make_trainer(clip_norm=clip_norm, workers=workers)
    next(trainer.updates(5))
    trainer.objective.model.decoder.layers[0].cross_attention.sublayer.w_output.bias.data[3] = value
    assert_stops(trainer, r"update 2: loss nan, gradient norm nan\. Training has diverged")


@clipped
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_non_finite_gradient_stops_training(make_trainer, monkeypatch, clip_norm, workers, value):
    backward = LabelSmoothingLoss.backward

    def spoilt(self, dloss=1.0):
        dlogits = backward(self, dloss)
        dlogits.reshape(-1)[0] = value
        return dlogits

    trainer = make_trainer(clip_norm=clip_norm, workers=workers)
    next(trainer.updates(5))
    monkeypatch.setattr(LabelSmoothingLoss, "backward", spoilt)
    assert_stops(
        trainer, r"update 2: loss [0-9.]+, gradient norm (nan|inf)\. Training has diverged"
    )


@clipped
def test_too_high_learning_rate_stops_training(make_trainer, clip_norm):
    trainer = make_trainer(clip_norm=clip_norm, dropout=0.0)
    trainer.optimizer.learning_rate = 1e9
    with pytest.raises(InputError, match="Training has diverged"):
        list(trainer.updates(5))
    assert all(np.isfinite(array).all() for array in trainer.objective.state_dict().values())


def test_gradient_is_clipped_before_adam_step(make_trainer):
    """Adam forgets the norm of a first gradient, but not how a second one compares with it.

    In float32 it would make much of the keys' biases, whose gradient is rounding and nothing else.
    """
    settings = {"dropout": 0.0, "dtype": "float64"}
    trainer, other = make_trainer(clip_norm=0.01, **settings), make_trainer(**settings)
    for batch in list(trainer.batches.epoch(1))[:3]:
        trainer.update([batch])
        other.objective.zero_grad()
        other.objective.forward(batch)
        other.objective.backward()
        gradient = other.optimizer.grad
        norm = np.linalg.norm(gradient)
        assert norm > 0.01
        gradient *= 0.01 / norm
        other.optimizer.step()
    np.testing.assert_allclose(trainer.optimizer.m, other.optimizer.m, rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(trainer.optimizer.data, other.optimizer.data, rtol=1e-4, atol=1e-6)
