"""A learner's own functions inside npformer's layers: the parts of their Transformer."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from ..order import EXERCISES
from .backward_adapters import BACKWARD
from .decoding_adapters import DECODING
from .forward_adapters import FORWARD, LAYERS
from .training_adapters import TRAINING

__all__ = [
    "ADAPTERS",
    "LAYERS",
    "MODEL_PARTS",
    "ROTARY",
    "TRAINED",
    "TRANSLATING",
    "WRITING",
    "own_layers",
]

ADAPTERS = {**FORWARD, **LAYERS, **BACKWARD, **TRAINING, **DECODING}  # by the id of the exercise
# in the order of the course
MODEL_PARTS = tuple(id for id in EXERCISES if id in ADAPTERS)
SEARCHES = {"greedy", "beam", "kv_cache"}
ROTARY = "rotary"
# those that a translation runs, those that a training runs, and those that write a text
TRANSLATING = {*FORWARD, *LAYERS, "linear", "tied_generator", *SEARCHES}
TRAINED = {*FORWARD, *BACKWARD, *TRAINING, *SEARCHES} - {ROTARY}
WRITING = {*FORWARD, "linear", "tied_generator", "kv_cache", "top_p"} - {"add_norm"}


@contextmanager
def own_layers(own: Mapping[str, Any]) -> Iterator[list[str]]:
    """Replace npformer's layer methods by a learner's functions within this block.

    `own` are modules with these functions, by the id of their exercise; everything else stays
    npformer's own. Where a part is inside another one, as the backward of softmax is in that of
    attention, the larger one runs. Yields the ids of the exercises that are used.
    """
    used = [id for id in ADAPTERS if id in own]
    with ExitStack() as replaced:
        for id in used:
            for (owner, name), method in ADAPTERS[id](own[id]).items():
                replaced.enter_context(patch.object(owner, name, method))
        yield used
