"""What all ranks of a run must have in common: its settings, its data, its weights, and the update it is at."""

import zlib
from dataclasses import asdict

from ..backend import to_host
from ..models import StackConfig
from ..training import Trainer
from .settings import FILES, TrainingSettings


def weights_in_common(trainer: Trainer) -> dict[str, int]:
    """Return a checksum of the present weights."""
    return {"checksum of the weights": zlib.crc32(to_host(trainer.optimizer.flat.data))}


def all_in_common(settings: TrainingSettings, config: StackConfig, trainer: Trainer, held_out) -> dict:
    """Return all of it by name; where files lie may differ from rank to rank, that of a recipe too.

    The config of a classifier or language model has its own vocab_size: the setting of that name is what counts here,
    for the data, from which the other follows, are compared too.
    """
    data = {"training data": trainer.batches, "held-out data": held_out}
    return {
        **asdict(config),
        **{name: value for name, value in asdict(settings).items() if name not in (*FILES, "recipe")},
        **{f"checksum of the {what}": batches.checksum[:8] for what, batches in data.items()},
        "update": trainer.optimizer.steps,
        "epoch": trainer.epoch,
        "batch": trainer.batch,
        **weights_in_common(trainer),
    }
