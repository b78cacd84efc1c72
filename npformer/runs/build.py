"""From settings to a trainer."""

import numpy as np

from ..models import StackConfig
from ..tasks import Task
from ..training import Adam, CosineSchedule, FlatParameters, Trainer, WarmupSchedule
from .settings import TrainingSettings


def make_trainer(task: Task, settings: TrainingSettings, config: StackConfig, batches, communicator) -> Trainer:
    """Return the trainer of a fresh model."""
    model = task.predictor.model_class(config, rng=np.random.default_rng(settings.seed))
    betas = {"beta1": settings.beta1, "beta2": settings.beta2, "eps": settings.adam_eps}
    adam = Adam(FlatParameters(model.parameters()), learning_rate=make_schedule(settings, config.d_model), **betas)
    how = {"accumulate": settings.accumulate, "clip_norm": settings.clip_norm, "workers": settings.workers}
    return Trainer(task.objective(model, settings), adam, batches, **how, communicator=communicator)


def make_schedule(settings: TrainingSettings, d_model: int) -> WarmupSchedule | CosineSchedule:
    """Return the learning rate over time: the paper's, unless settings name another peak or a cosine."""
    peak, warmup_steps = settings.learning_rate, settings.warmup_steps
    if settings.decay_steps is not None:
        steps = {"warmup_steps": warmup_steps, "decay_steps": settings.decay_steps}
        return CosineSchedule(peak, **steps, final=settings.final_learning_rate)
    if peak is not None:
        return WarmupSchedule.with_peak(peak, d_model, warmup_steps)
    return WarmupSchedule(d_model, warmup_steps)
