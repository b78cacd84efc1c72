"""What people write in place of the solution of bootstrap_interval, and what to say of it."""

from npformer_course.definition import Edit, Mistake

DIFFERENCES = "differences = a - b"
MEAN = "return drawn.mean(-1)"
MEANS = "means = drawn_differences(a, b, draws)"
OUTSIDE = "outside = (1 - level) / 2"
QUANTILES = "low, high = np.quantile(means, [outside, 1 - outside])"

MISTAKES = [
    Mistake(
        "b_minus_a",
        "the differences are those of b from a, with the other sign",
        Edit(DIFFERENCES, "differences = b - a"),
        ask="The first translator is better in every sentence. Is your difference above 0?",
    ),
    Mistake(
        "absolute_differences",
        "the differences have no sign: where b is better, it counts for a as well",
        Edit(DIFFERENCES, "differences = np.abs(a - b)"),
        ask="In half of the sentences a is better by 3, in half b. What is the mean difference?",
    ),
    Mistake(
        "means_of_a",
        "b has no part in the result",
        Edit(DIFFERENCES, "differences = a"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "ratio",
        "the scores of a are divided by those of b",
        Edit(DIFFERENCES, "differences = a / b - 1"),
        ask="Is the formula a difference, or a share of b?",
    ),
    Mistake(
        "sum_of_a_draw",
        "the differences of a draw are added up, and the sum is not divided by their number",
        Edit(MEAN, "return drawn.sum(-1)"),
        ask="A test has twice as many sentences of the same kind. Should the difference be twice "
        "as large?",
    ),
    Mistake(
        "mean_over_draws",
        "the mean is taken over the draws: one number for each place of a test",
        Edit(MEAN, "return drawn.mean(0)"),
        ask="Which axis of draws has the sentences of one test?",
    ),
    Mistake(
        "one_mean",
        "{part} is made of one number, the mean over all draws together",
        Edit(MEAN, "return drawn.mean()"),
        ask="How many tests were drawn, and how many results have you?",
    ),
    Mistake(
        "not_averaged",
        "the drawn differences are returned one by one, and no mean is taken",
        Edit(MEAN, "return drawn"),
        ask="How many numbers does one test have by the formula of d?",
    ),
    Mistake(
        "median_of_a_draw",
        "each draw gives its median, not its mean",
        Edit(MEAN, "return np.median(drawn, -1)"),
        ask="A single sentence is much better by a. Does your number move?",
    ),
    Mistake(
        "each_sentence_once",
        "a sentence that was drawn twice counts once",
        Edit(MEAN, "return np.array([differences[np.unique(row)].mean() for row in draws])"),
        ask="What does with replacement mean for the sum of the formula?",
    ),
    Mistake(
        "draws_not_used",
        "the same number comes out for all draws: the mean over all sentences",
        Edit(MEAN, "return np.full(len(draws), differences.mean())"),
        ask="Where does draws come in?",
    ),
    Mistake(
        "only_a_is_drawn",
        "a is drawn, and b is always the mean over all sentences",
        Edit(MEAN, "return a[draws].mean(-1) - b.mean()"),
        ask="A draw has many hard sentences. Which of the two translators does that hurt in your "
        "lines?",
    ),
    Mistake(
        "different_draws",
        "a and b are judged by different draws",
        Edit(MEAN, "return a[draws].mean(-1) - b[draws[::-1]].mean(-1)"),
        ask="If a draw has many hard sentences, should that hurt one translator, or both?",
    ),
    Mistake(
        "single_sentences",
        "{part} is that of the differences of single sentences, not of means",
        Edit(MEANS, "means = a - b"),
        ask="Which numbers are sorted: one for each sentence, or one for each test?",
    ),
    Mistake(
        "all_on_each_side",
        "{part} leaves out on its side what both sides together should leave out",
        Edit(OUTSIDE, "outside = 1 - level"),
        ask="At the level of 0.9, which share is outside, and which part of it is below the "
        "interval?",
    ),
    Mistake(
        "always_95_percent",
        "{part} is that of the level 0.95, whatever the level is",
        Edit(OUTSIDE, "outside = 0.025"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "inside_out",
        "{part} is where the level's half is, as if the level were what is outside",
        Edit(OUTSIDE, "outside = level / 2"),
        ask="At the level of 1 everything is inside. Which shares do you pass then?",
    ),
    Mistake(
        "percent_for_shares",
        "{part} is close to the smallest of all means, as if a share had been taken for a percent",
        Edit(QUANTILES, "low, high = np.percentile(means, [outside, 1 - outside])"),
        ask="What does np.percentile(x, 0.5) return, and what np.quantile(x, 0.5)?",
    ),
    Mistake(
        "ends_exchanged",
        "low and high are exchanged",
        Edit(QUANTILES, "high, low = np.quantile(means, [outside, 1 - outside])"),
        ask="Which of the two is smaller?",
    ),
    Mistake(
        "smallest_and_largest",
        "{part} is an extreme of all draws: nothing is left out",
        Edit(QUANTILES, "low, high = means.min(), means.max()"),
        ask="Which share of the means is inside your interval?",
    ),
    Mistake(
        "two_standard_deviations",
        "{part} is 1.96 standard deviations of the drawn means away from their mean",
        Edit(
            QUANTILES,
            "low, high = means.mean() + np.array([-1.96, 1.96]) * means.std()",
        ),
        ask="Which share of your means is inside? Count them, for the level that is asked for.",
    ),
    Mistake(
        "divided_by_the_draws",
        "{part} is 1.96 standard deviations away from the mean, divided by the root of the number "
        "of draws",
        Edit(
            QUANTILES,
            "low, high = means.mean() + np.array([-1.96, 1.96]) * means.std() / len(means) ** 0.5",
        ),
        ask="You draw four times as many tests of the same sentences. Do you know more about "
        "other sentences?",
    ),
    Mistake(
        "interval_of_each",
        "{part} is the end of a's interval less the same end of b's",
        Edit(
            QUANTILES,
            "shares = [outside, 1 - outside]\n"
            "    low, high = np.quantile(a[draws].mean(-1), shares) - "
            "np.quantile(b[draws].mean(-1), shares)",
        ),
        ask="Are the draws in which a is low those in which b is low? Which number does each draw "
        "have?",
    ),
    Mistake(
        "worst_case_of_each",
        "{part} is an end of a's interval less the other end of b's",
        Edit(
            QUANTILES,
            "shares = [outside, 1 - outside]\n"
            "    low, high = np.quantile(a[draws].mean(-1), shares) - "
            "np.quantile(b[draws].mean(-1), shares)[::-1]",
        ),
        ask="Does a draw that is bad for a have to be a good one for b? Which number does each "
        "draw have?",
    ),
    Mistake(
        "around_zero",
        "{part} is too small by the mean difference: the interval is around 0",
        Edit(QUANTILES, "low, high = np.quantile(means - (a - b).mean(), [outside, 1 - outside])"),
        ask="a is better by 5 in every sentence. Which interval should come out?",
    ),
    Mistake(
        "mirrored",
        "{part} is the other end of the interval, mirrored at the mean difference",
        Edit(
            QUANTILES,
            "high, low = 2 * (a - b).mean() - np.quantile(means, [outside, 1 - outside])",
        ),
        ask="Sort the means. Which share of them is below your low?",
    ),
    Mistake(
        "one_of_the_means",
        "{part} is one of the drawn means itself: nothing is taken between two of them",
        Edit(
            QUANTILES,
            "means = np.sort(means)\n"
            "    low, high = means[[int(outside * len(means)), int((1 - outside) * len(means))]]",
        ),
        ask="Five numbers, 0 to 4: what is the quantile of the share 0.1 by the text, and what by "
        "your lines?",
    ),
]
