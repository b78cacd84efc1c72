"""Bugs, planted one at a time: which line of npformer is written wrong, and which ordinary test must notice.

A bug is a text that occurs once in the source of a function, and its replacement. When such a line of npformer changes,
the tables here have to follow: `plant` then raises InputError, which never counts as a bug that was caught.
"""

import sys
from pathlib import Path

for folder in (
    "decoding",
    "evaluation",
    "layers",
    "layers/replaced",
    "models",
    "tasks",
    "training",
):  # for the tables
    sys.path.append(str(Path(__file__).parents[1] / folder))

# ruff: noqa: E402
from .attention import ATTENTION
from .checkpointing import CHECKPOINTING
from .classifier import CLASSIFIER
from .contract import CONTRACT
from .flash import FLASH
from .gelu import GELU_BUGS
from .layer_norm import LAYER_NORM
from .of_others import OF_OTHERS
from .plant import plant
from .replaced import REPLACED
from .restricted import RESTRICTED
from .since_2017 import SINCE_2017
from .softmax_and_loss import SOFTMAX_AND_LOSS
from .starts import STARTS
from .state import STATE
from .tables import TABLES
from .texts import TEXTS
from .training import TRAINING
from .wiring import WIRING

EVERY_DAY = LAYER_NORM + SOFTMAX_AND_LOSS + CONTRACT + TRAINING
AT_LENGTH = ATTENTION + TABLES + WIRING + STATE
AT_LENGTH += GELU_BUGS + SINCE_2017 + REPLACED + STARTS + RESTRICTED + FLASH
AT_LENGTH += CHECKPOINTING + CLASSIFIER + TEXTS + OF_OTHERS
PLANTED_BUGS = EVERY_DAY + AT_LENGTH

__all__ = ["AT_LENGTH", "EVERY_DAY", "PLANTED_BUGS", "plant"]
