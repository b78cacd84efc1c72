"""Checkpoints: all that training needs to go on as if it had never stopped, in one safetensors file."""

from __future__ import annotations

import os

import numpy as np

from ..errors import InputError
from ..module import Module
from ..tensors import load_tensors, save_tensors
from .adam import Adam


def plain(value):
    """Write the arrays inside a random generator's state as lists, which JSON can hold."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def save_checkpoint(path: str | os.PathLike, model: Module, optimizer: Adam, progress: dict | None = None) -> None:
    """Write weights, Adam's moments and step, dropout's random state, and `progress`, whole or not at all.

    `progress` is anything that JSON can hold, such as the place in the epoch.

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
    random_states = [plain(rng.bit_generator.state) for rng in model.generators()]
    note = {"steps": optimizer.steps, "random_states": random_states, "progress": progress or {}}
    save_tensors(path, tensors, note)


def load_checkpoint(path: str | os.PathLike, model: Module, optimizer: Adam) -> dict:
    """Bring model, optimiser and random state to where save_checkpoint left them; return its `progress`.

    Raises `InputError` when the file is missing, damaged, or of a model of another shape.
    """
    tensors, note = load_tensors(path)
    generators = model.generators()
    if len(note.get("random_states", ())) != len(generators):
        raise InputError(f"{path} is no checkpoint of this model: its random states do not fit")

    def part(prefix: str) -> dict[str, np.ndarray]:
        return {name[len(prefix) :]: array for name, array in tensors.items() if name.startswith(prefix)}

    try:
        model.load_state_dict(part("model."))
        optimizer.load_state_dict(part("adam."), note["steps"])
    except InputError as error:
        raise InputError(f"{path} does not fit the model: {error}") from None
    for rng, state in zip(generators, note["random_states"], strict=True):
        try:
            rng.bit_generator.state = state
        except (ValueError, TypeError, KeyError):
            kind = type(rng.bit_generator).__name__
            raise InputError(f"{path} was saved with another kind of random generator than {kind}") from None
    return note["progress"]
