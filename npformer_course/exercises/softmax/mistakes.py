"""What people write in place of the solution of softmax, and what to say of it."""

from npformer_course.definition import Edit, Mistake

# the last axis but one, in a single row the last
QUERIES = "max(-2, -x.ndim)"

MISTAKES = [
    Mistake(
        "nothing_taken_off",
        "where scores are large, y has NaN, as if their powers were inf or 0",
        Edit("shifted = x - peak", "shifted = x"),
        ask=(
            "What is np.exp(1000) in floats, and by which number may a row be shifted so that "
            "this does not occur?"
        ),
    ),
    Mistake(
        "one_maximum_for_all",
        "a row that lies far below the highest of the array is NaN, as if only powers of 0 were "
        "left of it",
        Edit("x.max(-1, keepdims=True)", "x.max()"),
        ask="One row is around 2000, another around -2000. What is left of the second one?",
    ),
    Mistake(
        "maximum_of_another_axis",
        "the numbers of one row are shifted by different amounts, which changes the distances "
        "between them",
        Edit("x.max(-1, keepdims=True)", f"x.max({QUERIES}, keepdims=True)"),
        ask="Which numbers must be shifted by the same amount, and along which axis do they lie?",
    ),
    Mistake(
        "maximum_of_the_first_axis",
        "the numbers of one row are shifted by different amounts, which changes the distances "
        "between them",
        Edit("x.max(-1, keepdims=True)", "x.max(0, keepdims=True)"),
        ask="Which numbers must be shifted by the same amount, and along which axis do they lie?",
    ),
    Mistake(
        "axis_of_queries",
        "the weights add up to 1 along the last axis but one, not along the last",
        Edit("x.max(-1, keepdims=True)", f"x.max({QUERIES}, keepdims=True)"),
        Edit("powers.sum(-1, keepdims=True)", f"powers.sum({QUERIES}, keepdims=True)"),
        ask=(
            "Print the sums of your y along each axis. Between which numbers is one unit of "
            "attention to be shared?"
        ),
    ),
    Mistake(
        "axis_of_sentences",
        "the weights add up to 1 along the first axis, so they depend on the other sentences of "
        "the batch",
        Edit("x.max(-1, keepdims=True)", "x.max(0, keepdims=True)"),
        Edit("powers.sum(-1, keepdims=True)", "powers.sum(0, keepdims=True)"),
        ask="Remove one sentence from the batch. Should the weights of another one change?",
    ),
    Mistake(
        "one_sum_for_all",
        "the weights of the whole array add up to 1, not those of each row",
        Edit("powers.sum(-1, keepdims=True)", "powers.sum()"),
        ask="How many sums does an array of B times T rows need?",
    ),
    Mistake(
        "powers_missing",
        "the scores, less the largest of their row, are divided by their sum: the largest has "
        "the weight 0",
        Edit("np.exp(shifted)", "shifted"),
        ask="The formula has e in it. What does it do to a score of 0, and to one far below 0?",
    ),
    Mistake(
        "divided_by_the_maximum",
        "the scores are divided by the largest of their row, which changes the distances between "
        "them",
        Edit("shifted = x - peak", "shifted = x / peak"),
        ask="The scores 0 and 1 and the scores 0 and 5: should they have the same weights?",
    ),
    Mistake(
        "shifted_above_only",
        "the weights of a row do not add up to 1: what stands above the bar was shifted, what "
        "stands below was not",
        Edit("row_sum = powers", "row_sum = np.exp(x)"),
        ask="exp(-c) cancels in the fraction. Where does it have to stand for that?",
    ),
    Mistake(
        "scores_clipped",
        "where all scores of a row are far from 0, the distances between them are lost, as if "
        "each had been cut off at the same limit",
        Edit("shifted = x - peak", "shifted = np.clip(x, -700, 700)"),
        ask=(
            "The scores 1000 and 1001 should have the weights 0.27 and 0.73. What is left of the "
            "two before the powers are taken?"
        ),
    ),
    Mistake(
        "mean_taken_off",
        "where one score lies far above the others of its row, y has NaN, as if its power were inf",
        Edit("x.max(-1, keepdims=True)", "x.mean(-1, keepdims=True)"),
        ask=(
            "A row holds the scores 0, 0, 0 and 4000. How far is the largest from what you take "
            "off, and what is the power of that?"
        ),
    ),
    Mistake(
        "sum_over_queries",
        "{part} is what comes out when the sum below the bar runs along the last axis but one",
        Edit("powers.sum(-1, keepdims=True)", f"powers.sum({QUERIES}, keepdims=True)"),
        ask=(
            "Print the sums of your y along each axis. Between which numbers is one unit of "
            "attention to be shared?"
        ),
    ),
    Mistake(
        "sum_over_sentences",
        "{part} is what comes out when the sum below the bar runs along the first axis",
        Edit("powers.sum(-1, keepdims=True)", "powers.sum(0, keepdims=True)"),
        ask="Remove one sentence from the batch. Should the weights of another one change?",
    ),
    Mistake(
        "largest_magnitude",
        "where all scores of a row are far below 0, y has NaN, as if their powers were all 0",
        Edit("x.max(-1, keepdims=True)", "np.abs(x).max(-1, keepdims=True)"),
        ask="A row holds the scores -1000 and -1001. What do you take off them, and what is left?",
    ),
    Mistake(
        "sign_turned",
        "{part} is what comes out when the scores have the other sign: the smallest has the "
        "largest weight",
        Edit("shifted = x - peak", "shifted = peak - x"),
        ask="Two words have the scores 0 and 1. Which of them should have more weight?",
    ),
    Mistake(
        "not_divided",
        "the largest number in each row of {part} is 1, and so the row sums to more than 1",
        Edit("return powers / row_sum", "return powers"),
        ask="Which number stands below the bar, and what does a row sum to after the division?",
    ),
    Mistake(
        "logarithm_taken",
        "{part} is the logarithm of the weights",
        Edit("return powers / row_sum", "return np.log(powers / row_sum)"),
        ask="What are the weights of two equal scores, and what does your function say?",
    ),
    Mistake(
        "powers_of_two",
        "{part} is made of powers of 2",
        Edit("np.exp(shifted)", "np.exp2(shifted)"),
        ask=(
            "A score that is 1 more than another: how many times its weight should it have, and "
            "how many has it?"
        ),
    ),
    Mistake(
        "shifted_below_only",
        "the weights of a row do not add up to 1: what stands below the bar was shifted, what "
        "stands above was not",
        Edit("return powers /", "return np.exp(x) /"),
        ask="exp(-c) cancels in the fraction. Where does it have to stand for that?",
    ),
    Mistake(
        "each_by_itself",
        "{part} does not depend on the other scores of the row: each score has a weight by itself",
        Edit("return powers / row_sum", "return 1 / (1 + np.exp(-x))"),
        ask="What should a row sum to, whatever its scores?",
    ),
    Mistake(
        "softmax_twice",
        "{part} is softmax of softmax: the weights were taken for scores once more",
        Edit(
            "return powers / row_sum",
            "powers = np.exp(powers / row_sum)\n    return powers / powers.sum(-1, keepdims=True)",
        ),
        ask="How many exponentials does the formula have on the way from a score to its weight?",
    ),
    Mistake(
        "divided_by_a_root",
        "{part} is what comes out when the scores are divided by the root of the length of the row",
        Edit("    powers =", "    shifted = shifted / np.sqrt(x.shape[-1])\n    powers ="),
        ask="Does the formula of this exercise have a root?",
    ),
    Mistake(
        "all_to_the_largest",
        "the whole weight of a row goes to its largest score",
        Edit("return powers / row_sum", "return 1.0 * (x == peak)"),
        ask="Two scores differ by 0.1. How much more weight should one of them have?",
    ),
    Mistake(
        "scores_divided",
        "{part} is the scores, divided by their sum",
        Edit("return powers / row_sum", "return x / x.sum(-1, keepdims=True)"),
        ask="Some scores are below 0. What is their weight by the formula, and what is yours?",
    ),
]
