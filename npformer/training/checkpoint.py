"""Checkpoints: all that training needs to go on as if it had never stopped, in one safetensors file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..base.errors import InputError
from ..base.tensors import load_tensors, save_tensors
from ..module import Module
from .adam import Adam


class Checkpoint(NamedTuple):
    """What a file of save_checkpoint holds: read and checked, but not yet put into a model."""

    path: str | os.PathLike
    tensors: dict[str, np.ndarray]
    note: dict

    @classmethod
    def read(cls, path: str | os.PathLike) -> Checkpoint:
        """Read a checkpoint. Raises `InputError` when the file is missing, damaged, or no checkpoint."""
        checkpoint = cls(path, *load_tensors(path))
        if not {"steps", "random_states", "progress"} <= checkpoint.note.keys():
            raise InputError(f"{path} is no checkpoint of this model: it lacks random states and progress")
        return checkpoint

    @property
    def progress(self) -> dict:
        """What was saved as `progress`."""
        return self.note["progress"]

    def restore(
        self, model: Module, optimizer: Adam, *, generators: Sequence[np.random.Generator] | None = None
    ) -> dict:
        """Bring model, optimiser and random states to where they were; return `progress`.

        Raises `InputError` when they are of a model of another shape.
        """
        generators, states = generators or model.generators(), self.note["random_states"]
        if len(states) != len(generators):
            raise InputError(f"{self.path} is no checkpoint of this model: its random states do not fit")
        try:
            model.load_state_dict(self.part("model."))
            optimizer.load_state_dict(self.part("adam."), self.note["steps"])
        except InputError as error:
            raise InputError(f"{self.path} does not fit the model: {error}") from None
        for rng, state in zip(generators, states, strict=True):
            try:
                rng.bit_generator.state = state
            except (ValueError, TypeError, KeyError):
                kind = type(rng.bit_generator).__name__
                raise InputError(f"{self.path} was saved with another kind of random generator than {kind}") from None
        return self.progress

    def part(self, prefix: str) -> dict[str, np.ndarray]:
        """Return the arrays whose names begin with a prefix, without it."""
        return {name[len(prefix) :]: array for name, array in self.tensors.items() if name.startswith(prefix)}


def plain(value):
    """Write the arrays inside a random generator's state as lists, which JSON can hold."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def save_checkpoint(
    path: str | os.PathLike,
    model: Module,
    optimizer: Adam,
    progress: dict | None = None,
    *,
    generators: Sequence[np.random.Generator] | None = None,
) -> None:
    """Write weights, Adam's moments and step, dropout's random state, and `progress`, whole or not at all.

    `progress` is anything that JSON can hold, such as the place in the epoch. `generators` are those whose states are
    written: the model's own unless said otherwise (a Trainer with several workers has `trainer.workers.generators()`).

    >>> import pathlib, tempfile
    >>> from npformer.layers import Linear
    >>> linear = Linear(2, 3, rng=np.random.default_rng(0))
    >>> adam = Adam(linear.parameters(), learning_rate=0.1)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "checkpoint.safetensors"
    >>> save_checkpoint(path, linear, adam, {"epoch": 3})
    >>> load_checkpoint(path, linear, adam)
    {'epoch': 3}
    """
    tensors = {f"model.{name}": array for name, array in model.state_dict().items()}
    tensors |= {f"adam.{name}": array for name, array in optimizer.state_dict().items()}
    random_states = [plain(rng.bit_generator.state) for rng in generators or model.generators()]
    note = {"steps": optimizer.steps, "random_states": random_states, "progress": progress or {}}
    save_tensors(path, tensors, note)


def load_checkpoint(
    path: str | os.PathLike,
    model: Module,
    optimizer: Adam,
    *,
    generators: Sequence[np.random.Generator] | None = None,
) -> dict:
    """Bring model, optimiser and random states to where save_checkpoint left them; return its `progress`.

    Raises `InputError` when the file is missing, damaged, or of a model of another shape.
    """
    return Checkpoint.read(path).restore(model, optimizer, generators=generators)
