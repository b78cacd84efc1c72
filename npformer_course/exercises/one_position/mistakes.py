"""What people write in place of the solution of one_position, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "x_lost",
        "z is what the sub-layer computed, and nothing of x",
        Edit("return x + f", "return 1 * f"),
        ask="A sub-layer returns 0 everywhere. What should z be?",
    ),
    Mistake(
        "f_taken_off",
        "z is x less f",
        Edit("return x + f", "return x - f"),
        ask="What does the word in front of '& Norm' in figure 1 say?",
    ),
    Mistake(
        "multiplied",
        "z is the product of x and f",
        Edit("return x + f", "return x * f"),
        ask="A sub-layer returns 0 everywhere. What should z be, and what is yours?",
    ),
    Mistake(
        "mean_of_both",
        "z is half of what the sum is",
        Edit("return x + f", "return (x + f) / 2"),
        ask="A sub-layer returns 0 everywhere. What should z be, and what is yours?",
    ),
    Mistake(
        "one_less_than_D",
        "y is what comes out when the squared distances are divided by D - 1",
        Edit("var = (distances**2).mean()", "var = (distances**2).sum() / (len(z) - 1)"),
        ask=(
            "Work out y for the two features 3 and 5 by the formula (gain 1, bias 0, forget eps). "
            "What does your function say?"
        ),
    ),
    Mistake(
        "squares_added_up",
        "y is what comes out when the squared distances are added up and not divided by anything",
        Edit("(distances**2).mean()", "(distances**2).sum()"),
        ask=(
            "Write every feature of the position down twice. What happens to its spread, and to "
            "your variance?"
        ),
    ),
    Mistake(
        "plain_distances",
        "y is what comes out when the spread is the mean of the distances without their signs",
        Edit(
            "    std = np.sqrt(var + eps)",
            "    var = np.abs(distances).mean()\n    std = var + eps",
        ),
        ask="What is done to a distance in the formula before the mean is taken?",
    ),
    Mistake(
        "eps_outside_the_root",
        "y is what comes out when eps is added to the standard deviation, after the root",
        Edit("np.sqrt(var + eps)", "np.sqrt(var) + eps"),
        ask="Is the eps of the formula a variance or a standard deviation?",
    ),
    Mistake(
        "no_eps",
        "y does not depend on eps",
        Edit("np.sqrt(var + eps)", "np.sqrt(var)"),
        ask="What does your function make of a position whose features are all equal?",
    ),
    Mistake(
        "eps_replaced_by_1e-5",
        "y does not depend on eps: there is a small number in its place",
        Edit("np.sqrt(var + eps)", "np.sqrt(var + 1e-5)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "no_root",
        "y is what comes out when no root is taken: the variance is under the bar",
        Edit("np.sqrt(var + eps)", "(var + eps)"),
        ask="If all features are doubled, what happens to the variance, and what should y do?",
    ),
    Mistake(
        "mean_left_in",
        "y is what comes out when z is divided by its spread with its mean still in it",
        Edit("gain * distances", "gain * z"),
        ask="With gain 1 and bias 0, what should the features of y add up to?",
    ),
    Mistake(
        "variance_about_zero",
        "y is what comes out when the variance is the mean of the squares of z itself",
        Edit("(distances**2)", "(z**2)"),
        ask="Add 100 to every feature. What happens to their spread, and to your variance?",
    ),
    Mistake(
        "mean_never_taken_off",
        "y is what comes out when no mean is taken off: z is divided by the root of the mean of "
        "its squares",
        Edit("distances = z - z.mean()", "distances = 1 * z"),
        ask="With gain 1 and bias 0, what should the features of y add up to?",
    ),
    Mistake(
        "only_centered",
        "y is what comes out when the mean is taken off and nothing is divided",
        Edit("gain * distances / std", "gain * distances"),
        ask="Multiply all features of z by 3. What should happen to y (forget eps)?",
    ),
    Mistake(
        "bias_before_gain",
        "y is what comes out when the bias is added first and multiplied by the gain as well",
        Edit("gain * distances / std + bias", "gain * (distances / std + bias)"),
        ask="If the gain of a feature is 0, what is left of y there?",
    ),
    Mistake(
        "bias_divided",
        "y is what comes out when the bias is divided by the standard deviation too",
        Edit("gain * distances / std + bias", "(gain * distances + bias) / std"),
        ask="What stands above the bar in the formula, and what after the fraction?",
    ),
    Mistake(
        "gain_and_bias_exchanged",
        "y is what comes out when the bias multiplies and the gain is added",
        Edit("gain * distances / std + bias", "bias * distances / std + gain"),
        ask="With bias 0 everywhere, what is your y?",
    ),
    Mistake(
        "gain_missing",
        "y does not depend on the gain",
        Edit("gain * distances", "distances"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "gain_and_bias_forgotten",
        "y depends neither on the gain nor on the bias",
        Edit("gain * distances / std + bias", "distances / std"),
        ask="Which of the arguments have you not used?",
    ),
]
