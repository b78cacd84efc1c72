"""Bugs of Adam and of the schedule."""

from functools import partial

import test_reference_training as training

from npformer.training import Adam, WarmupSchedule

from .plant import bug

THREE_STEPS = partial(training.test_adam_takes_three_steps, [(2, 3), (4,), (1, 5)])
SCHEDULE = training.test_the_warmup_schedule_of_the_papers_base_model

TRAINING = [
    bug(
        "Adam: the step counted once a tensor",
        THREE_STEPS,
        (Adam, "step", "self.steps += 1", "self.steps += len(self.flat.parameters)"),
    ),
    bug(
        "Adam: the warm-up counted once a tensor",
        THREE_STEPS,
        (
            Adam,
            "step",
            "self.learning_rate_at(self.steps + 1)",
            "self.learning_rate_at(self.steps * len(self.flat.parameters) + 1)",
        ),
    ),
    bug("Adam: no bias correction", THREE_STEPS, (Adam, "step", "lr * math.sqrt(correction_2) / correction_1", "lr")),
    bug(
        "Adam: eps inside the root",
        THREE_STEPS,
        (Adam, "update", "xp.sqrt(v, out=t)\n    t += eps_hat", "xp.sqrt(v + eps_hat**2, out=t)"),
    ),
    bug(
        "Adam: eps not corrected with v", THREE_STEPS, (Adam, "step", "self.eps * math.sqrt(correction_2)", "self.eps")
    ),
    bug(
        "Adam: the gradient is squared after it was scaled",
        THREE_STEPS,
        (Adam, "update", "xp.multiply(g, g, out=t)", "xp.multiply(t, t, out=t)"),
    ),
    bug(
        "Adam: only the first stretch of the buffer is updated",
        partial(training.test_adam_takes_three_steps, [(2,), (140000,), (3,)]),
        (Adam, "step", "cache_chunks(self.m.size)", "cache_chunks(self.m.size)[:1]"),
    ),
    bug("schedule: max for min", SCHEDULE, (WarmupSchedule, "__call__", "min(", "max(")),
    bug("schedule: warm-up to the power -0.5", SCHEDULE, (WarmupSchedule, "__call__", "**-1.5", "**-0.5")),
    bug("schedule: no d_model", SCHEDULE, (WarmupSchedule, "__call__", "self.d_model**-0.5 * ", "")),
]
