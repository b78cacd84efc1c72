"""What people write in place of the solution of masked_softmax, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "mask_after_softmax",
        "the weights of a row with hidden places do not sum to 1: hidden scores still count in "
        "the total",
        Edit("visible = np.where(mask, x, -np.inf)", "visible = x"),
        Edit("return powers / np", "return mask * powers / np"),
        ask=(
            "Two keys with equal scores, one hidden. Which weight should the other have, and "
            "which has it in y?"
        ),
    ),
    Mistake(
        "hidden_score_zero",
        "a hidden place has the weight of a place whose score is 0",
        Edit("np.where(mask, x, -np.inf)", "np.where(mask, x, 0)"),
        ask="What is exp(0), and is that the power of a place that nobody may see?",
    ),
    Mistake(
        "hidden_score_zero_in_rows_seen",
        "in rows with any True, a hidden place has the weight of a place whose score is 0",
        Edit("np.where(mask, x, -np.inf)", "np.where(mask, x, 0)"),
        Edit("return powers /", "return mask.any(-1, keepdims=True) * powers /"),
        ask="What is exp(0), and is that the power of a place that nobody may see?",
    ),
    Mistake(
        "zero_times_infinity",
        "y is NaN everywhere, also in rows where nothing is hidden",
        Edit("np.where(mask, x, -np.inf)", "x + np.logical_not(mask) * -np.inf"),
        Edit("np.where(np.isfinite(peak), peak, 0)", "peak"),
        ask=(
            "Which line makes the first NaN? Look at what it does where the mask is True: is "
            "there a 0 times infinity in it?"
        ),
    ),
    Mistake(
        "empty_row_nan",
        "rows without any True are NaN, and all others are right",
        Edit("np.where(np.isfinite(peak), peak, 0)", "peak"),
        ask=(
            "Follow such a row through your lines: its maximum, its powers, their total. Where "
            "is the first NaN?"
        ),
    ),
    Mistake(
        "empty_row_even",
        "a row without any True has the same weight, 1/S, everywhere",
        Edit("np.where(mask, x, -np.inf)", "np.where(mask, x, -1e9)"),
        ask=(
            "Print the numbers of such a row line by line. What does softmax make of a row in "
            "which all numbers are equal?"
        ),
    ),
    Mistake(
        "empty_row_unmasked",
        "a row without any True has the weights that it would have without a mask",
        Edit("np.where(mask, x, -np.inf)", "x + np.where(mask, 0.0, -1e9)"),
        ask=(
            "What does softmax see of a number that is added to every score of a row, and which "
            "scores does your code leave in such a row?"
        ),
    ),
    Mistake(
        "penalty_of_100_in_rows_seen",
        "a hidden place has weight where its score is much larger than the visible ones",
        Edit(
            "    visible = np.where(mask, x, -np.inf)",
            "    visible = np.where(mask, x, np.where(mask.any(-1, keepdims=True), x - 100, "
            "-np.inf))",
        ),
        ask="How large may a hidden score be before what you take off it is no longer enough?",
    ),
    Mistake(
        "penalty_too_small",
        "a hidden place with a large score keeps weight, and a row without any True is not "
        "masked at all",
        Edit("np.where(mask, x, -np.inf)", "x + np.where(mask, 0, -100)"),
        ask="How large may a hidden score be before what you take off it is no longer enough?",
    ),
    Mistake(
        "mask_upside_down",
        "the places where the mask is False have the weight, those where it is True have none",
        Edit("np.where(mask, x, -np.inf)", "np.where(mask, -np.inf, x)"),
        ask="What does True stand for in this course: may attend, or is hidden?",
    ),
    Mistake(
        "hidden_maximum",
        "a row has weights of 0 throughout where a hidden score lies 900 above the visible ones",
        Edit("visible.max(-1, keepdims=True)", "x.max(-1, keepdims=True)"),
        ask=(
            "A hidden score of 900 next to visible ones around 0: which powers does your code "
            "compute in such a row, and what is left of the visible ones?"
        ),
    ),
    Mistake(
        "nothing_taken_off",
        "where scores are large, y has NaN, as if their powers were inf",
        Edit("peak = np.where(np.isfinite(peak), peak, 0)", "peak = 0"),
        ask=(
            "What is np.exp(1000) in floats, and by which number may a row be shifted so that "
            "this does not occur?"
        ),
    ),
    Mistake(
        "axis_of_queries",
        "{part} is what comes out when softmax runs over the queries, along the last axis but one",
        Edit("visible.max(-1, keepdims=True)", "visible.max(-2, keepdims=True)"),
        Edit("powers.sum(-1, keepdims=True)", "powers.sum(-2, keepdims=True)"),
        ask="Which weights share a sum of 1, and along which axis do they lie?",
    ),
    Mistake(
        "zero_times_infinity_in_rows_seen",
        "rows with any True are NaN, and all others are right",
        Edit("np.where(mask, x, -np.inf)", "x + np.logical_not(mask) * -np.inf"),
        ask=(
            "Which line makes the first NaN? Look at what it does where the mask is True: is "
            "there a 0 times infinity in it?"
        ),
    ),
    Mistake(
        "zero_times_infinity_in_places_seen",
        "y is NaN at all visible places, and 0 at all others",
        Edit("np.where(mask, x, -np.inf)", "x + np.logical_not(mask) * -np.inf"),
        Edit("np.where(total == 0, 1, total)", "np.where(~(total > 0), 1, total)"),
        ask=(
            "Which line makes the first NaN? Look at what it does where the mask is True: is "
            "there a 0 times infinity in it?"
        ),
    ),
    Mistake(
        "one_maximum_for_all",
        "y is what comes out when all rows are shifted by the largest visible score of the "
        "array: rows far below it lose their weights",
        Edit("visible.max(-1, keepdims=True)", "visible.max()"),
        ask="One row is around 0, another around -2000. What is left of the second one?",
    ),
    Mistake(
        "sum_over_queries",
        "y is what comes out when the sum below the bar runs over the queries, along the last "
        "axis but one",
        Edit("powers.sum(-1, keepdims=True)", "powers.sum(-2, keepdims=True)"),
        ask="Which weights share a sum of 1, and along which axis do they lie?",
    ),
    Mistake(
        "mask_added",
        "y is what comes out when the mask is added to the scores as a number: a visible place "
        "has only e times the weight of a hidden one with an equal score",
        Edit("np.where(mask, x, -np.inf)", "x + mask"),
        ask=(
            "What does NumPy make of True in a sum, and how large is the weight of a place with "
            "one point less?"
        ),
    ),
    Mistake(
        "infinite_power_hidden",
        "y has NaN in rows with a large hidden score: its power is inf, and inf times 0 is no "
        "number",
        Edit("powers = np.exp(visible - peak)", "powers = np.exp(x) * mask"),
        ask="What is np.exp(900) * 0 in floats?",
    ),
    Mistake(
        "infinite_power_hidden_and_no_guard",
        "y has NaN in rows with a score near 900 or above, hidden or not, and in rows whose powers "
        "are all 0",
        Edit("powers = np.exp(visible - peak)", "powers = np.exp(x) * mask"),
        Edit("return powers / np.where(total == 0, 1, total)", "return powers / total"),
        ask="What is np.exp(900) * 0 in floats, and what is 0 / 0?",
    ),
    Mistake(
        "maximum_from_0",
        "a row whose visible scores all lie far below 0 has weights of 0 throughout",
        Edit("visible.max(-1, keepdims=True)", "visible.max(-1, keepdims=True, initial=0)"),
        ask=(
            "All visible scores of a row are around -2000. Which number do you subtract from them, "
            "and what are their powers then?"
        ),
    ),
]
