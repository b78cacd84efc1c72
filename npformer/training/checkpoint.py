"""Checkpoints: what a training needs to continue as if never stopped, in a safetensors file."""

from typing import Any, NamedTuple

import numpy as np

from ..utils import AnyPath, InputError, load_tensors, prefix_errors, save_tensors
from .distributed import Communicator
from .trainer import Trainer

__all__ = ["Checkpoint", "save_checkpoint"]

_OPTIMIZER = "adam."  # what the names of its arrays begin with


class Checkpoint(NamedTuple):
    """The content of a file of `save_checkpoint`: read and checked, not yet put into a trainer."""

    path: AnyPath
    tensors: dict[str, np.ndarray]
    note: dict

    @classmethod
    def read(cls, path: AnyPath) -> "Checkpoint":
        """Read a checkpoint.

        Raises `InputError` when the file is missing, damaged, or not a checkpoint.
        """
        tensors, note = load_tensors(path)
        place = note.get("place")
        is_checkpoint = (
            isinstance(place, dict)
            and _is_count(place.get("epoch"), least=1)
            and _is_count(place.get("batch"), least=0)
            and isinstance(note.get("progress"), dict)
            and isinstance(note.get("random_states"), list)
        )
        if not is_checkpoint:
            raise InputError(
                f"{path} is not a checkpoint: expected random states and the place in a training"
            )
        return cls(path, tensors, note)

    @property
    def progress(self) -> dict:
        """What was saved as `progress`."""
        return self.note["progress"]

    def restore(self, trainer: Trainer) -> dict:
        """Bring a trainer to where it was: weights, moments, random states, place in the epoch.

        Returns `progress`.

        Raises `InputError`, and changes nothing, when it is of another model, of another number of
        workers, or has other batches.
        """
        generators = trainer.generators()
        states = self._checked_random_states(generators, trainer.communicator)
        place = self.note["place"]
        if place.get("batches") != trainer.batches.checksum:
            raise InputError(
                f"the batches are not those of {self.path}: "
                "bring back the training files and settings"
            )

        weights = {}
        moments = {}
        for name, array in self.tensors.items():
            if name.startswith(_OPTIMIZER):
                moments[name.removeprefix(_OPTIMIZER)] = array
            else:
                weights[name] = array

        # both are checked before either changes
        with prefix_errors(f"{self.path} does not fit the model"):
            trainer.objective.check_fits(weights)
            trainer.optimizer.load_state_dict(moments)
        trainer.objective.load_state_dict(weights)

        for rng, state in zip(generators, states, strict=True):
            rng.bit_generator.state = state
        trainer.epoch = place["epoch"]
        trainer.batches_done = place["batch"]
        return self.progress

    def _checked_random_states(self, generators: list, communicator: Communicator) -> list[dict]:
        """Return the states of a rank's generators. Raises `InputError` unless they take them."""
        # of all workers: two ranks of one worker have those of two workers without ranks
        states = self.note["random_states"]
        n = len(generators)
        if len(states) != n * communicator.size:
            raise InputError(
                f"{self.path} has {len(states)} random states, but expected {n * communicator.size}"
                ": resume with the model and as many workers as it was saved with"
            )
        states = states[n * communicator.rank : n * (communicator.rank + 1)]

        for rng, state in zip(generators, states, strict=True):
            generator_class = type(rng.bit_generator)
            # tried on another generator first, because nothing may change if one does not fit
            try:
                generator_class().state = state
            except (ValueError, TypeError, KeyError, OverflowError, AttributeError):
                raise InputError(
                    f"{self.path} was saved with another kind of random generator "
                    f"than {generator_class.__name__}"
                ) from None
        return states


def save_checkpoint(path: AnyPath, trainer: Trainer, progress: dict | None = None) -> None:
    """Write weights, Adam's moments, all random states, the place in the epoch, and `progress`.

    The file is written whole or not at all. `progress` is a dict of anything that JSON can
    hold. All ranks call this; rank 0 writes, and the file is there when it returns.

    >>> import pathlib, tempfile
    >>> import npformer as npf
    >>> from npformer.tasks import Batches, Objective
    >>> model = npf.Transformer(
    ...     npf.TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10), rng=0
    ... )
    >>> adam = npf.training.Adam(model.parameters(), learning_rate=0.1)
    >>> trainer = Trainer(Objective(model), adam, Batches([([4, 5], [5, 4])], batch_tokens=8))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "checkpoint.safetensors"
    >>> save_checkpoint(path, trainer, {"note": "before the first update"})
    >>> Checkpoint.read(path).restore(trainer)["note"], trainer.epoch
    ('before the first update', 1)
    """
    tensors = trainer.objective.state_dict()
    for name, array in trainer.optimizer.state_dict().items():
        tensors[_OPTIMIZER + name] = array

    communicator = trainer.communicator
    own_states = [_plain(rng.bit_generator.state) for rng in trainer.generators()]
    random_states = []
    for states in communicator.allgather(own_states):
        random_states += states

    place = {
        "epoch": trainer.epoch,
        "batch": trainer.batches_done,
        "batches": trainer.batches.checksum,
    }
    note = {
        "random_states": random_states,
        "place": place,
        "progress": progress or {},
    }
    if communicator.rank == 0:
        save_tensors(path, tensors, note)
    communicator.barrier()


def _is_count(value: Any, least: int) -> bool:
    return type(value) is int and value >= least  # not a bool, which is an int too


def _plain(value: Any) -> Any:
    """Return a random generator's state with its arrays as lists, which JSON can hold."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value
