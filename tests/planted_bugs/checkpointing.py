"""Bugs of gradient checkpointing: what the second forward gets, and how it leaves the generators."""

from functools import partial

import test_gradient_checkpointing as checkpointing

from npformer.models import encoder
from npformer.models.gradient_checkpointing import Checkpointed

from .plant import bug

SAME = partial(checkpointing.test_checkpointing_changes_no_result, "Transformer", {})
LESS = checkpointing.test_forward_caches_only_the_inputs

CHECKPOINTING = [
    bug(
        "checkpointing: the second forward draws again",
        SAME,
        (
            Checkpointed,
            "backward",
            "self._exchange_states(states)\n    self.layer.forward",
            "[]\n    self.layer.forward",
        ),
    ),
    bug(
        "checkpointing: the generators stay where the second forward leaves them",
        checkpointing.test_checkpointing_with_separate_random_generators,
        (
            Checkpointed,
            "backward",
            "\n    self._exchange_states(states)\n    return",
            "\n    return",
        ),
    ),
    bug(
        "checkpointing: one generator alone is set",
        checkpointing.test_checkpointing_with_separate_random_generators,
        (
            Checkpointed,
            "_exchange_states",
            "zip(self.generators(), states or before, strict=True)",
            "[*zip(self.generators(), states or before)][:1]",
        ),
    ),
    bug(
        "checkpointing: the states are those after the first forward",
        SAME,
        (
            Checkpointed,
            "forward",
            "return self.remember",
            "states = self._exchange_states()\n    return self.remember",
        ),
    ),
    bug(
        "checkpointing: the second forward without its last mask",
        SAME,
        (Checkpointed, "backward", "forward(*inputs)", "forward(*inputs[:-1])"),
    ),
    bug(
        "checkpointing: the layer keeps its cache",
        LESS,
        (Checkpointed, "forward", "self.layer.forget()", "pass"),
    ),
    bug(
        "checkpointing: the setting is ignored",
        LESS,
        (encoder, "make_layers", "if config.gradient_checkpointing", "if False"),
    ),
]
