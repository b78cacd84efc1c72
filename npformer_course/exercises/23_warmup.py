# id: warmup | points: 7 | minutes: 15 | level: 1 | needs: - | notebook: 07b

# %% [markdown]
# # Warm-up
#
# Adam's first update moves every number of the model by the whole learning rate, also where the first gradient is
# nothing but noise: it is boldest when it knows least. The paper therefore lets the rate rise in a straight line from
# nearly nothing, for `warmup_steps` updates, and fall afterwards, so that late updates settle. Equation 3 of section
# 5.3 says both at once:
#
# $$\eta(\text{step}) = d_{model}^{-0.5} \cdot
#   \min\big(\text{step}^{-0.5},\ \text{step} \cdot \text{warmup\_steps}^{-1.5}\big)$$
#
# Look at the two in the bracket. The first falls with the root of the step, from 1. The second is a straight line
# through 0. They meet where $\text{step} = \text{warmup\_steps}$, and the smaller one counts: the line before, the
# root after. The factor in front makes the rate of a wide model lower.
#
# Updates are counted **from 1**: the first has step 1, and its rate is small but not 0.

# %%
import math

import numpy as np


def learning_rate_slowly(step, d_model, warmup_steps):
    """The learning rate of one update, in two branches."""
    if step < warmup_steps:
        highest = 1 / math.sqrt(warmup_steps)
        return highest * (step / warmup_steps) / math.sqrt(d_model)
    return 1 / math.sqrt(step) / math.sqrt(d_model)


# %% [markdown]
# ## Your turn
#
# Write the equation as it is in the paper, so that `step` may be a number or an array: for a picture of the whole
# training you will want `learning_rate(np.arange(1, 20001), 512, 4000)`.


# %%
def learning_rate(step, d_model, warmup_steps):
    """Return the learning rate of an update.

    step: a whole number from 1, or an array (N,) of them. d_model, warmup_steps: whole numbers from 1.
    Returns one number for a number, an array (N,) for an array.
    """
    # BEGIN SOLUTION
    step = np.asarray(step, float)
    falling = step**-0.5
    rising = step * warmup_steps**-1.5
    return d_model**-0.5 * np.minimum(falling, rising)
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, D, N):
    """Draw a width and a warm-up, a step on each side of its end, and N steps in any order, among them the first.

    The steps on each side lie anywhere there: what is true of the first few need not be true of those near the end.
    """
    warmup_steps = int(draw.rng.integers(27, 64))
    steps = draw.rng.integers(2, 3 * warmup_steps, N)
    if N > 1:  # a single one may be any
        steps[0], steps[-1] = 2 * warmup_steps, 1
    return {
        "early": draw.whole(1, warmup_steps - 1),
        "late": int(draw.rng.integers(warmup_steps + 1, 4 * warmup_steps)),
        "steps": steps,
        "d_model": D,
        "warmup_steps": warmup_steps,
    }


def one_step(student, early, late, d_model, warmup_steps):
    return tuple(student.learning_rate(step, d_model, warmup_steps) for step in (early, late))


def many_steps(student, steps, d_model, warmup_steps):
    return student.learning_rate(steps, d_model, warmup_steps)


def one_step_slowly(early, late, d_model, warmup_steps):
    return tuple(learning_rate_slowly(step, d_model, warmup_steps) for step in (early, late))


def many_steps_slowly(steps, d_model, warmup_steps):
    return np.array([learning_rate_slowly(int(step), d_model, warmup_steps) for step in steps])


CALLS = [
    Call(one_step, {"a step of the warm-up": 2, "a step after it": 2}),
    Call(many_steps, {"an array of steps": 2}),
]
AXES = {"an array of steps": ()}  # the steps stand in an order of ours, which says nothing of the answer
WHERE = {"an array of steps": lambda steps: [f"at step {step}" for step in steps]}
SLOW = {"one_step": one_step_slowly, "many_steps": many_steps_slowly}
SIZES = {"N": (3, 8)}

PREDICTION = Prediction(
    "You make warmup_steps four times as long and change nothing else. What happens to the highest learning rate?",
    {"a": "it stays the same and comes later", "b": "it is half as high", "c": "it is a quarter as high"},
    answer="b",
    because="The highest rate is reached at step = warmup_steps, where it is (d_model * warmup_steps) ** -0.5: four "
    "times the steps, half the rate. A longer warm-up is also a lower one, which is easily forgotten.",
)

MISTAKES = [
    Mistake(
        "counted_from_0",
        "every update has the rate of the one before it, and the first has 0",
        Edit("step = np.asarray(step, float)", "step = np.asarray(step, float) - 1"),
        ask="What is the number of the first update, and what does your function return for it?",
    ),
    Mistake(
        "max_for_min",
        "the rate falls until the warm-up ends, and then rises without end",
        Edit("np.minimum", "np.maximum"),
        ask="Before the end of the warm-up, which of the two in the bracket is smaller?",
    ),
    Mistake(
        "width_upwards",
        "a wider model gets a higher rate",
        Edit("d_model**-0.5", "d_model**0.5"),
        ask="Should a model of 1024 features take longer steps than one of 512, by the equation, or shorter ones?",
    ),
    Mistake(
        "width_missing",
        "the rate does not depend on d_model",
        Edit("d_model**-0.5 * ", ""),
        ask="Two models differ in their width alone. Do they get the same rate?",
    ),
    Mistake(
        "line_to_1",
        "the line of the warm-up is too steep: it climbs to 1 at the end of the warm-up",
        Edit("warmup_steps**-1.5", "warmup_steps**-1.0"),
        ask="At step = warmup_steps both in the bracket should be the same. Are they?",
    ),
    Mistake(
        "flat_after_warmup",
        "after the warm-up the rate stays where it is",
        Edit("falling = step**-0.5", "falling = warmup_steps**-0.5"),
        ask="What does the equation say of step 16,000, next to step 4,000, when the warm-up has 4,000?",
    ),
    Mistake(
        "powers_exchanged",
        "the rate stays the same until the warm-up ends, and then falls faster than the root of the step",
        Edit("falling = step**-0.5", "falling = warmup_steps**-0.5"),
        Edit("rising = step * warmup_steps**-1.5", "rising = warmup_steps * step**-1.5"),
        ask="With a warm-up of 100, put step = 1 into the bracket of the equation. Which two numbers are in it, and "
        "which two in yours?",
    ),
    Mistake(
        "falls_with_the_step",
        "after the warm-up the rate falls with the step, not with its root",
        Edit("falling = step**-0.5", "falling = step**-1.0"),
        ask="By how much should the rate fall when the step is four times as large?",
    ),
    Mistake(
        "falls_with_the_step_from_the_top",
        "after the warm-up the rate falls from its highest value with the step, not with its root",
        Edit("falling = step**-0.5", "falling = warmup_steps**0.5 / step"),
        ask="By how much should the rate fall when the step is four times as large?",
    ),
    Mistake(
        "line_too_steep",
        "the line of the warm-up is too steep: it ends after the first few steps",
        Edit("warmup_steps**-1.5", "warmup_steps**-0.5"),
        ask="At step = warmup_steps both in the bracket should be the same. Are they?",
    ),
    Mistake(
        "one_ahead",
        "every update has the rate of the one after it",
        Edit("step = np.asarray(step, float)", "step = np.asarray(step, float) + 1"),
        ask="What is the number of the first update, and which number do your lines put into the equation for it?",
    ),
    Mistake(
        "width_itself",
        "the rate is divided by d_model, not by its root",
        Edit("d_model**-0.5", "d_model**-1.0"),
        ask="A model is four times as wide. By how much is its rate lower, by the equation?",
    ),
    Mistake(
        "no_warmup",
        "the rate falls from the first step on",
        Edit("rising = step * warmup_steps**-1.5", "rising = np.inf"),
        ask="Which two numbers are in the bracket at step 1, and how often does your code choose for an array?",
    ),
    Mistake(
        "never_falls",
        "the rate keeps rising after the warm-up",
        Edit("falling = step**-0.5", "falling = np.inf"),
        ask="Which two numbers are in the bracket after warm-up, and how often does your code choose for an array?",
    ),
    Mistake(
        "line_without_the_step",
        "the rate is the same at every step of the warm-up",
        Edit("rising = step * warmup_steps**-1.5", "rising = warmup_steps**-1.5"),
        ask="By what is the rate of step 2 larger than that of step 1, in the equation?",
    ),
    Mistake(
        "line_without_the_width",
        "the line of the warm-up does not depend on d_model, and the root after it does",
        Edit("rising = step", "rising = d_model**0.5 * step"),
        ask="Which of the two in the bracket does the factor in front belong to?",
    ),
    Mistake(
        "root_without_the_width",
        "the root after the warm-up does not depend on d_model, and the line before it does",
        Edit("falling = step**-0.5", "falling = d_model**0.5 * step**-0.5"),
        ask="Which of the two in the bracket does the factor in front belong to?",
    ),
]

HINTS = [
    "Give each of the two in the bracket a name and a line of its own. Python's ** takes exponents like -0.5.",
    "Python's min compares two numbers; for two arrays you need the smaller one at each place. NumPy has a function "
    "for that, which also takes numbers.",
    "np.minimum(a, b) is what you need. Whole numbers in an array: `step ** -0.5` works, as does 1 / np.sqrt(step). "
    "The factor in front multiplies the result.",
]

ALTERNATIVES = [
    """
def learning_rate(step, d_model, warmup_steps):
    if np.ndim(step):
        return np.array([learning_rate_slowly(int(one), d_model, warmup_steps) for one in step])
    return learning_rate_slowly(step, d_model, warmup_steps)
""",
    """
def learning_rate(step, d_model, warmup_steps):
    return np.where(step < warmup_steps, step / warmup_steps, np.sqrt(warmup_steps / step)) / np.sqrt(
        d_model * warmup_steps
    )
""",
    """
def learning_rate(step, d_model, warmup_steps):
    return np.min([1 / np.sqrt(step), step / warmup_steps**1.5], axis=0) / math.sqrt(d_model)
""",
]
