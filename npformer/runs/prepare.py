"""From settings to a trainer."""

import numpy as np

from ..models import ColumnConfig
from ..tasks import Objective, task_of
from ..training import Adam, FlatParameters, Trainer, WarmupSchedule
from .settings import TrainingSettings


def make_trainer(settings: TrainingSettings, config: ColumnConfig, batches) -> Trainer:
    """Return the trainer of a fresh model."""
    model = task_of(config).model(config, rng=np.random.default_rng(settings.seed))
    schedule = WarmupSchedule(config.d_model, settings.warmup_steps)
    if settings.learning_rate is not None:
        schedule = WarmupSchedule.with_peak(settings.learning_rate, config.d_model, settings.warmup_steps)
    betas = {"beta1": settings.beta1, "beta2": settings.beta2, "eps": settings.adam_eps}
    adam = Adam(FlatParameters(model.parameters()), learning_rate=schedule, **betas)
    objective = Objective(model, label_smoothing=settings.label_smoothing)
    how = {"accumulate": settings.accumulate, "clip_norm": settings.clip_norm, "workers": settings.workers}
    return Trainer(objective, adam, batches, **how)
