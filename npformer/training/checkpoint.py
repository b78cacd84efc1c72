"""Checkpoints: all that training needs to continue as if it had never stopped, in one safetensors file."""

from typing import NamedTuple

import numpy as np

from ..utils import AnyPath, InputError, load_tensors, prefix_errors, save_tensors
from .trainer import Trainer

_LEAST = {
    "steps": 0,
    "ranks": 1,
    "epoch": 1,
    "batch": 0,
}  # the numbers that say how far a training is


class Checkpoint(NamedTuple):
    """What a file of save_checkpoint holds: read and checked, but not yet put into a trainer."""

    path: AnyPath
    tensors: dict[str, np.ndarray]
    note: dict

    @classmethod
    def read(cls, path: AnyPath) -> "Checkpoint":
        """Read a checkpoint. Raises `InputError` when the file is missing, damaged, or not a checkpoint."""
        tensors, note = load_tensors(path)
        note = {"ranks": 1, **note}
        place = {**note, **note["progress"]} if isinstance(note.get("progress"), dict) else {}
        whole = all(
            type(place.get(name)) is int and place[name] >= least for name, least in _LEAST.items()
        )
        if not whole or not isinstance(note.get("random_states"), list):
            raise InputError(
                f"{path} is not a checkpoint: expected random states and the place in a training"
            )
        return cls(path, tensors, note)

    @property
    def progress(self) -> dict:
        """What was saved as `progress`, with the trainer's place in its epoch."""
        return self.note["progress"]

    @property
    def ranks(self) -> int:
        """How many ranks it was saved by."""
        return self.note["ranks"]

    def random_states(self, rank: int) -> list[dict] | None:
        """Return the states of a rank's random generators; None if there was no such rank."""
        states = self.note["random_states"]
        n = len(states) // self.ranks
        return states[n * rank : n * (rank + 1)] if rank < self.ranks else None

    def restore(self, trainer: Trainer) -> dict:
        """Bring a trainer to where it was: weights, moments, random states, place; return `progress`.

        A rank that was not there keeps the random states that it was made with.

        Raises `InputError`, and changes nothing, when it is of another model, or has other batches.
        """
        generators, states = trainer.generators(), self.random_states(trainer.communicator.rank)
        if states is None:
            states = [rng.bit_generator.state for rng in generators]
        if len(self.note["random_states"]) != len(generators) * self.ranks:
            raise InputError(
                f"{self.path} is not a checkpoint of this model: its random states do not fit"
            )
        for rng, state in zip(generators, states, strict=True):
            try:
                type(rng.bit_generator)().state = state
            except (ValueError, TypeError, KeyError, OverflowError, AttributeError):
                kind = type(rng.bit_generator).__name__
                raise InputError(
                    f"{self.path} was saved with another kind of random generator than {kind}"
                ) from None
        if self.progress.get("batches") != trainer.batches.checksum:
            raise InputError(
                f"the batches are not those of {self.path}: bring back the training files and settings"
            )
        moments = {name: array for name, array in self.tensors.items() if name.startswith("adam.")}
        weights = {name: array for name, array in self.tensors.items() if name not in moments}
        with prefix_errors(f"{self.path} does not fit the model"):
            trainer.objective.check_fits(weights)
            trainer.optimizer.load_state_dict(
                {name[5:]: array for name, array in moments.items()}, self.note["steps"]
            )
        trainer.objective.load_state_dict(weights)
        for rng, state in zip(generators, states, strict=True):
            rng.bit_generator.state = state
        trainer.epoch = self.progress["epoch"]
        trainer.batches_done = self.progress["batch"]
        return self.progress


def _plain(value):
    """Write the arrays inside a random generator's state as lists, which JSON can hold."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def save_checkpoint(path: AnyPath, trainer: Trainer, progress: dict | None = None) -> None:
    """Write weights, Adam's moments, all random states, the place in the epoch, and `progress`, whole or not at all.

    `progress` is anything that JSON can hold. All ranks call this; rank 0 writes, and the file is there when it
    returns.

    >>> import pathlib, tempfile
    >>> from npformer import Transformer, TransformerConfig
    >>> from npformer.tasks import Batches, Objective
    >>> from npformer.training import Adam, FlatParameters
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10), rng=0)
    >>> adam = Adam(FlatParameters(model.parameters()), learning_rate=0.1)
    >>> trainer = Trainer(Objective(model), adam, Batches([([4, 5], [5, 4])], batch_tokens=8))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "checkpoint.safetensors"
    >>> save_checkpoint(path, trainer, {"note": "before the first update"})
    >>> Checkpoint.read(path).restore(trainer)["note"], trainer.epoch
    ('before the first update', 1)
    """
    tensors = trainer.objective.state_dict()
    tensors |= {f"adam.{name}": array for name, array in trainer.optimizer.state_dict().items()}
    communicator = trainer.communicator
    of_ranks = communicator.allgather(
        [_plain(rng.bit_generator.state) for rng in trainer.generators()]
    )
    random_states = [state for of_one in of_ranks for state in of_one]
    place = {
        "epoch": trainer.epoch,
        "batch": trainer.batches_done,
        "batches": trainer.batches.checksum,
    }
    note = {
        "steps": trainer.optimizer.steps,
        "random_states": random_states,
        "ranks": communicator.size,
    }
    if communicator.rank == 0:
        save_tensors(path, tensors, note | {"progress": place | (progress or {})})
    communicator.barrier()
