"""What people write in place of the solution of warmup, and what to say of it."""

from npformer_course.definition import Edit, Mistake

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
        ask=(
            "Should a model of 1024 features take longer steps than one of 512, by the equation, "
            "or shorter ones?"
        ),
    ),
    Mistake(
        "half_of_the_width",
        "the rate is divided by twice d_model, not by its root",
        Edit("d_model**-0.5", "d_model**-1/2"),
        ask="What is 16 ** -1/2 in Python? Print it.",
    ),
    Mistake(
        "halves_for_roots",
        "the rate is what comes out with 1 / (2 d_model) and 1 / (2 step) in place of the roots",
        Edit("d_model**-0.5", "d_model**-1/2"),
        Edit("step**-0.5", "step**-1/2"),
        ask="What is 16 ** -1/2 in Python? Print it.",
    ),
    Mistake(
        "halves_for_all_powers",
        "the rate still rises after the warm-up, with step / (2 warmup_steps^3) in the bracket and "
        "1 / (2 d_model) in front of it",
        Edit("d_model**-0.5", "d_model**-1/2"),
        Edit("step**-0.5", "step**-1/2"),
        Edit("warmup_steps**-1.5", "warmup_steps**-3/2"),
        ask="What is 16 ** -1/2 in Python, and what 16 ** -3/2? Print them.",
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
        ask=(
            "What does the equation say of step 16,000, next to step 4,000, when the warm-up has "
            "4,000?"
        ),
    ),
    Mistake(
        "powers_exchanged",
        "the rate stays the same until the warm-up ends, and then falls faster than the root of "
        "the step",
        Edit("falling = step**-0.5", "falling = warmup_steps**-0.5"),
        Edit("rising = step * warmup_steps**-1.5", "rising = warmup_steps * step**-1.5"),
        ask=(
            "With a warm-up of 100, put step = 1 into the bracket of the equation. Which two "
            "numbers are in it, and which two in yours?"
        ),
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
        ask=(
            "What is the number of the first update, and which number do your lines put into the "
            "equation for it?"
        ),
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
        ask=(
            "Which two numbers are in the bracket at step 1, and how often does your code choose "
            "for an array?"
        ),
    ),
    Mistake(
        "never_falls",
        "the rate keeps rising after the warm-up",
        Edit("falling = step**-0.5", "falling = np.inf"),
        ask=(
            "Which two numbers are in the bracket after warm-up, and how often does your code "
            "choose for an array?"
        ),
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
    Mistake(
        "half_of_the_cube",
        "the rate still rises after the warm-up, with step / (2 warmup_steps^3) in the bracket",
        Edit("warmup_steps**-1.5", "warmup_steps**-3/2"),
        ask="What is 16 ** -3/2 in Python? Print it.",
    ),
]
