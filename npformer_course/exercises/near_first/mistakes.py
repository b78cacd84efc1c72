"""What people write in place of the solution of near_first, and what to say of it."""

from npformer_course.definition import Edit, Mistake

DISTANCE = "distance = abs(place[:, None] - place)"
BIASED = "return scores - slopes[:, None, None] * distance"
SLOPE = "return -np.log(ratio) / distance"

MISTAKES = [
    Mistake(
        "added",
        "the distance times the slope is added: far words come first",
        Edit(BIASED, "return scores + slopes[:, None, None] * distance"),
        ask="Two words have the same score before. Which of the two should have more after?",
    ),
    Mistake(
        "without_absolute_value",
        "the distance has a sign: words to the right get higher scores",
        Edit(DISTANCE, "distance = place[:, None] - place"),
        ask="How far away is the next word in your code, and how far the word before?",
    ),
    Mistake(
        "only_to_the_left",
        "words to the right have the distance 0, however far they are",
        Edit(DISTANCE, "distance = np.maximum(place[:, None] - place, 0)"),
        ask="How far away is the next word in your code?",
    ),
    Mistake(
        "squared",
        "the distances are squared",
        Edit(DISTANCE, "distance = (place[:, None] - place) ** 2"),
        ask="By how much more is a score lowered at 4 words than at 2, by the formula?",
    ),
    Mistake(
        "counted_from_the_start",
        "every score is lowered by the place of the word that is looked at, from the start",
        Edit(DISTANCE, "distance = place"),
        ask="The last word looks at itself. How far away is it?",
    ),
    Mistake(
        "counted_from_one",
        "the distances begin with 1: a word is one word away from itself",
        Edit(DISTANCE, "distance = abs(place[:, None] - place) + 1"),
        ask="What is |i - j| for a word that looks at itself?",
    ),
    Mistake(
        "distance_not_used",
        "all scores of a head are lowered by its slope, near and far ones alike",
        Edit(BIASED, "return scores - slopes[:, None, None]"),
        ask="What does softmax make of a row from which the same number is taken everywhere?",
    ),
    Mistake(
        "slopes_not_used",
        "all heads are lowered by the distance itself, whatever their slope is",
        Edit(BIASED, "return scores - distance"),
        ask="A head has the slope 0. What should it see?",
    ),
    Mistake(
        "one_slope_for_all",
        "all heads have the slope of the first one",
        Edit(BIASED, "return scores - slopes[0] * distance"),
        ask="Which axis of the scores counts the heads, and which one does your slope go along?",
    ),
    Mistake(
        "mean_slope",
        "all heads have the mean of the slopes",
        Edit(BIASED, "return scores - slopes.mean() * distance"),
        ask="Which axis of the scores counts the heads, and which one does your slope go along?",
    ),
    Mistake(
        "multiplied",
        "the scores are multiplied by what should be taken off them",
        Edit(BIASED, "return scores * -(slopes[:, None, None] * distance)"),
        ask="A score is 0. What should it be after, for a word far away?",
    ),
    Mistake(
        "bias_without_scores",
        "the bias is returned without the scores",
        Edit(BIASED, "return 0 * scores - slopes[:, None, None] * distance"),
        ask="Do two words at the same distance still have different scores?",
    ),
    Mistake(
        "softmax_taken",
        "what is returned are weights: no number is below 0, and the sum of a row is 1",
        Edit(
            BIASED,
            "powers = np.exp(scores - slopes[:, None, None] * distance)\n"
            "    return powers / powers.sum(-1, keepdims=True)",
        ),
        ask="What does the docstring ask for: scores or weights?",
    ),
    Mistake(
        "slope_negative",
        "the slope has the other sign",
        Edit(SLOPE, "return np.log(ratio) / distance"),
        ask="Should a far word have more weight than a near one, or less?",
    ),
    Mistake(
        "slope_linear",
        "the slope is (1 - ratio) / distance, as if weights fell along a straight line",
        Edit(SLOPE, "return (1 - ratio) / distance"),
        ask="What happens to e to the score when 1 is taken off the score?",
    ),
    Mistake(
        "slope_of_base_2",
        "the logarithm is the one with base 2",
        Edit(SLOPE, "return -np.log2(ratio) / distance"),
        ask="Which number does softmax take to the power of the score?",
    ),
    Mistake(
        "slope_of_base_10",
        "the logarithm is the one with base 10",
        Edit(SLOPE, "return -np.log10(ratio) / distance"),
        ask="Which number does softmax take to the power of the score?",
    ),
    Mistake(
        "slope_without_distance",
        "the slope does not depend on the distance",
        Edit(SLOPE, "return -np.log(ratio)"),
        ask="The far word is twice as far away, and should have the same weight. Can the slope be "
        "the same?",
    ),
    Mistake(
        "slope_times_distance",
        "the logarithm is multiplied by the distance",
        Edit(SLOPE, "return -np.log(ratio) * distance"),
        ask="The far word is twice as far away, and should have the same weight. Does it need a "
        "larger slope or a smaller one?",
    ),
]
