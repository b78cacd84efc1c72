"""What people write in place of the solution of adam_by_hand, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MEAN = "return beta * mean + (1 - beta) * new"
CORRECTED = "return mean / (1 - beta**t)"
STEP = "step = lr * m_hat / (np.sqrt(v_hat) + eps)"
M_HAT = "m_hat = corrected(new_m, beta1, t)"
V_HAT = "v_hat = corrected(new_v, beta2, t)"

BOTH_ONE = (
    "If every gradient is 1, at which number does the running mean arrive after many updates: by "
    "the formula, and by your lines?"
)
ITS_OWN_GRADIENT = (
    "Does the update of a batch use the gradient of that batch? Follow g through your lines."
)
LARGER = "m is too small at first. Does your correction make it larger, by the right factor?"

MISTAKES = [
    Mistake(
        "weights_exchanged",
        "{part} is what comes out when a running mean keeps 1 - beta of what it was, and takes "
        "beta of the new number",
        Edit(MEAN, "return (1 - beta) * mean + beta * new"),
        ask="With beta = 0.9, how much of the old mean is in the new one: by the formula, and by "
        "your lines?",
    ),
    Mistake(
        "new_with_its_full_weight",
        "{part} is what comes out when the new number goes into a running mean with its full "
        "weight",
        Edit(MEAN, "return beta * mean + new"),
        ask=BOTH_ONE,
    ),
    Mistake(
        "old_with_its_full_weight",
        "{part} is what comes out when the old mean is kept whole, and a part of the new number is "
        "added",
        Edit(MEAN, "return mean + (1 - beta) * new"),
        ask=BOTH_ONE,
    ),
    Mistake(
        "nothing_remembered",
        "{part} is what comes out when a running mean forgets what it was",
        Edit(MEAN, "return (1 - beta) * new"),
        ask="What of the mean that came in is in the one that goes out?",
    ),
    Mistake(
        "plain_mean",
        "{part} is what comes out when old mean and new number have the same weight",
        Edit(MEAN, "return (mean + new) / 2"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "not_corrected",
        "{part} is what comes out when nothing is corrected",
        Edit(CORRECTED, "return mean"),
        ask="After one update from 0, m is a tenth of g. Is a tenth a good guess of the gradient?",
    ),
    Mistake(
        "beta_without_power",
        "{part} is what comes out when the correction divides by 1 - beta, however many updates "
        "there were",
        Edit(CORRECTED, "return mean / (1 - beta)"),
        ask="After a thousand updates, is there still anything to correct: by the formula, and by "
        "your lines?",
    ),
    Mistake(
        "power_without_difference",
        "{part} is what comes out when the correction divides by beta^t",
        Edit(CORRECTED, "return mean / beta**t"),
        ask="After a thousand updates beta^t is nearly 0. What does your correction give then?",
    ),
    Mistake(
        "beta_times_t",
        "{part} is what comes out when beta is multiplied by t in the correction",
        Edit(CORRECTED, "return mean / (1 - beta * t)"),
        ask="What is beta^t for t = 3 and beta = 0.9? Print yours.",
    ),
    Mistake(
        "power_of_the_difference",
        "{part} is what comes out when the correction divides by (1 - beta)^t",
        Edit(CORRECTED, "return mean / (1 - beta) ** t"),
        ask="Which comes first in the formula, the power or the difference?",
    ),
    Mistake(
        "t_from_0",
        "{part} is what comes out when the correction uses a count of updates that is too small "
        "by one",
        # in the first update this divides by 0, and so the mistake is not made there
        Edit(CORRECTED, "return mean / (1 - beta ** (t - 1 or 1))"),
        ask="What is t in the first update, and what is 1 - beta^t for it?",
    ),
    Mistake(
        "correction_multiplied",
        "{part} is what comes out when a running mean is multiplied by 1 - beta^t: it gets smaller "
        "yet",
        Edit(CORRECTED, "return mean * (1 - beta**t)"),
        ask=LARGER,
    ),
    Mistake(
        "one_update_too_few",
        "{part} is what comes out when the correction takes t for the number of updates before "
        "this one",
        Edit(CORRECTED, "return mean / (1 - beta ** (t + 1))"),
        ask="What is t in the first update, and what is 1 - beta^t for it?",
    ),
    Mistake(
        "v_uncorrected",
        "{part} is what comes out when m is corrected and v is not",
        Edit(V_HAT, "v_hat = new_v"),
        ask="After one update from 0, v is a fiftieth of g squared. What does that do to the step?",
    ),
    Mistake(
        "m_uncorrected",
        "{part} is what comes out when v is corrected and m is not",
        Edit(M_HAT, "m_hat = new_m"),
        ask="After one update from 0, m is a tenth of g. What does that do to the step?",
    ),
    Mistake(
        "one_beta",
        "beta1 is used for both means",
        Edit("running_mean(v, g**2, beta2)", "running_mean(v, g**2, beta1)"),
        Edit(V_HAT, "v_hat = corrected(new_v, beta1, t)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "betas_exchanged",
        "m forgets as slowly as v should, and v as fast as m should",
        Edit("running_mean(m, g, beta1)", "running_mean(m, g, beta2)"),
        Edit("running_mean(v, g**2, beta2)", "running_mean(v, g**2, beta1)"),
        Edit(M_HAT, "m_hat = corrected(new_m, beta2, t)"),
        Edit(V_HAT, "v_hat = corrected(new_v, beta1, t)"),
        ask="Which of the two means looks back over about 50 updates, and which over about 10?",
    ),
    Mistake(
        "mean_of_sizes",
        "{part} is what comes out when v is a running mean of the size of the gradient",
        Edit("running_mean(v, g**2, beta2)", "running_mean(v, abs(g), beta2)"),
        ask="Of what is v the running mean, by the text?",
    ),
    Mistake(
        "mean_without_square",
        "{part} is what comes out when v is a running mean of the gradient as it is",
        Edit("running_mean(v, g**2, beta2)", "running_mean(v, g, beta2)"),
        ask="May v be below 0 by the text, and may yours?",
    ),
    Mistake(
        "square_of_the_mean",
        "{part} is what comes out when v takes in the square of m in place of that of the gradient",
        Edit("running_mean(v, g**2, beta2)", "running_mean(v, new_m**2, beta2)"),
        ask="Gradients of 1 and -1 take turns. What is the mean of their squares, and what is yours?",
    ),
    Mistake(
        "no_root",
        "{part} is what comes out when the step is divided by v itself, not by its root",
        Edit("np.sqrt(v_hat)", "v_hat"),
        ask="Multiply all gradients by 1000. By what does m grow, by what does v, and what becomes "
        "of the step?",
    ),
    Mistake(
        "eps_inside_root",
        "{part} is what comes out when eps is under the root",
        Edit("np.sqrt(v_hat) + eps", "np.sqrt(v_hat + eps)"),
        ask="With v = 0, what is the denominator of the formula, and what is yours?",
    ),
    Mistake(
        "eps_added_to_the_step",
        "{part} is what comes out when eps is added to the whole step, not to the root",
        Edit("(np.sqrt(v_hat) + eps)", "np.sqrt(v_hat) + eps"),
        ask="Which of your operators comes first, the division or the sum?",
    ),
    Mistake(
        "eps_added_to_theta",
        "{part} is what comes out when the step is made without eps, and eps is added to theta",
        Edit(STEP, "step = lr * m_hat / np.sqrt(v_hat) - eps"),
        ask="Which of your operators comes first, the division or the sum?",
    ),
    Mistake(
        "no_eps",
        "{part} is what comes out without eps",
        Edit("(np.sqrt(v_hat) + eps)", "np.sqrt(v_hat)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "uphill",
        "{part} is what comes out when the number moves along the gradient, not against it",
        Edit("return theta - step,", "return theta + step,"),
        ask="The gradient points to where the loss grows. Which way should the number go?",
    ),
    Mistake(
        "step_returned",
        "{part} is the step, not the number after it",
        Edit("return theta - step,", "return step,"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "no_rate",
        "{part} is what comes out when the step does not depend on the learning rate",
        Edit("lr * m_hat", "m_hat"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "gradient_for_its_mean",
        "{part} is what comes out when the step is made with the gradient, not with a mean",
        Edit("lr * m_hat", "lr * g"),
        ask="What is above the bar in the formula?",
    ),
    Mistake(
        "step_before_the_means",
        "{part} is what comes out when the step is made with the m and v that came in, without the "
        "new gradient",
        Edit(M_HAT, "m_hat = corrected(m, beta1, t)"),
        Edit(V_HAT, "v_hat = corrected(v, beta2, t)"),
        ask=ITS_OWN_GRADIENT,
    ),
    Mistake(
        "step_before_the_mean",
        "{part} is what comes out when the step is made with the m that came in, and with the new "
        "v",
        Edit(M_HAT, "m_hat = corrected(m, beta1, t)"),
        ask=ITS_OWN_GRADIENT,
    ),
    Mistake(
        "corrected_kept",
        "the corrected m and v are returned, and corrected again in the next update",
        Edit("step, new_m, new_v", "step, m_hat, v_hat"),
        ask="Is the running mean that the next update starts from m, or m hat?",
    ),
    Mistake(
        "corrected_m_kept",
        "the corrected m is returned, and corrected again in the next update",
        Edit("step, new_m, new_v", "step, m_hat, new_v"),
        ask="Is the running mean that the next update starts from m, or m hat?",
    ),
    Mistake(
        "old_means_returned",
        "m and v are returned as they came in",
        # from the start all updates would be as those of `nothing_remembered`
        Edit("step, new_m, new_v", "step, m or new_m, v or new_v"),
        ask="What does the second update know of the first gradient?",
    ),
]
