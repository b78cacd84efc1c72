"""From settings to a trainer."""

import numpy as np

from ..models import StackConfig
from ..tasks import Objective, task_of
from ..training import Adam, CosineSchedule, FlatParameters, Trainer, WarmupSchedule
from ..training.alone import Alone
from .settings import TrainingSettings


def make_trainer(settings: TrainingSettings, config: StackConfig, batches, *, ranks: Alone) -> Trainer:
    """Return the trainer of a fresh model."""
    model = task_of(config).model(config, rng=np.random.default_rng(settings.seed))
    betas = {"beta1": settings.beta1, "beta2": settings.beta2, "eps": settings.adam_eps}
    flat = FlatParameters(model.parameters(), ranks.room)
    adam = Adam(flat, learning_rate=make_schedule(settings, config.d_model), **betas)
    objective = Objective(model, label_smoothing=settings.label_smoothing)
    how = {"accumulate": settings.accumulate, "clip_norm": settings.clip_norm, "workers": settings.workers}
    return Trainer(objective, adam, batches, **how, ranks=ranks)


def make_schedule(settings: TrainingSettings, d_model: int) -> WarmupSchedule | CosineSchedule:
    """Return the learning rate over time: the paper's, unless settings name another peak or a cosine."""
    peak, warmup_steps = settings.learning_rate, settings.warmup_steps
    if settings.decay_steps is not None:
        steps = {"warmup_steps": warmup_steps, "decay_steps": settings.decay_steps}
        return CosineSchedule(peak, **steps, final=settings.final_learning_rate)
    if peak is not None:
        return WarmupSchedule.with_peak(peak, d_model, warmup_steps)
    return WarmupSchedule(d_model, warmup_steps)
