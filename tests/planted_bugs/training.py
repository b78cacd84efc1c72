"""Bugs of Adam and of the schedule."""

from functools import partial

import test_reference_training as training

from npformer.training import Adam, WarmupSchedule

from .plant import bug

THREE_STEPS = partial(training.test_three_adam_steps_equal_formulas, [(2, 3), (4,), (1, 5)])
SCHEDULE = training.test_warmup_schedule_of_base_model

TRAINING = [
    bug(
        "Adam: the step counted once per parameter",
        THREE_STEPS,
        (Adam, "step", "self.steps += 1", "self.steps += len(self.parameters)"),
    ),
    bug(
        "Adam: the warm-up counted once per parameter",
        THREE_STEPS,
        (
            Adam,
            "update_part",
            "self.learning_rate_at(step)",
            "self.learning_rate_at((step - 1) * len(self.parameters) + 1)",
        ),
    ),
    bug(
        "Adam: no bias correction of m",
        THREE_STEPS,
        (Adam, "update_part", "lr * m_scale * m", "lr * m"),
    ),
    bug("Adam: no bias correction of v", THREE_STEPS, (Adam, "update_part", "v_scale * v", "v")),
    bug(
        "Adam: eps inside the root",
        THREE_STEPS,
        (
            Adam,
            "update_part",
            "(xp.sqrt(v_scale * v) + self.eps)",
            "xp.sqrt(v_scale * v + self.eps)",
        ),
    ),
    bug(
        "Adam: the gradient is not squared",
        THREE_STEPS,
        (Adam, "update_part", "(1 - self.beta2) * g * g", "(1 - self.beta2) * g"),
    ),
    bug(
        "Adam: the betas are exchanged",
        THREE_STEPS,
        (Adam, "update_part", "v *= self.beta2", "v *= self.beta1"),
    ),
    bug(
        "Adam: only the first chunk of the buffer is updated",
        partial(training.test_three_adam_steps_equal_formulas, [(2,), (140000,), (3,)]),
        (Adam, "update_part", "cache_chunks(data.size)", "cache_chunks(data.size)[:1]"),
    ),
    bug(
        "schedule: max for min",
        SCHEDULE,
        (WarmupSchedule, "__call__", "np.minimum(", "np.maximum("),
    ),
    bug(
        "schedule: warm-up to the power -0.5",
        SCHEDULE,
        (WarmupSchedule, "__call__", "**-1.5", "**-0.5"),
    ),
    bug(
        "schedule: no d_model", SCHEDULE, (WarmupSchedule, "__call__", "self.d_model**-0.5 * ", "")
    ),
]
