"""What people write in place of the solution of adam, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "t_from_0",
        "{part} is what comes out when the correction uses a count of updates that is too small "
        "by one",
        Edit('t = state["t"] + 1', 't = state["t"]'),
        Edit('"t": t}', '"t": t + 1}'),
        ask="In the very first update state['t'] is 0. What would 1 - beta ** t be with your t?",
    ),
    Mistake(
        "t_per_tensor",
        "{part} is what comes out when the count of updates in the correction grows with every "
        "array, so that it is too large",
        Edit('t = state["t"] + 1', 't = state["t"]'),
        Edit("        m = m * beta1", "        t += 1\n        m = m * beta1"),
        ask="A model has 253 arrays. What does your t say after one update?",
    ),
    Mistake(
        "t_stands_still",
        "{part} is what comes out when every update is corrected as if it were the first one of "
        "these",
        Edit('"t": t}', '"t": state["t"]}'),
        ask="What does the state that you return say about how many updates have been made?",
    ),
    Mistake(
        "eps_inside_root",
        "{part} is what comes out when eps is under the root",
        Edit("np.sqrt(v_hat) + eps", "np.sqrt(v_hat + eps)"),
        ask="With v = 0, what is the denominator of the formula, and what is yours?",
    ),
    Mistake(
        "eps_before_correction",
        "{part} is what comes out when eps takes part in the correction: added to the root of v, "
        "before both are divided",
        Edit("(np.sqrt(v_hat) + eps)", "((np.sqrt(v) + eps) / np.sqrt(1 - beta2**t))"),
        ask="Which comes first in the formula, the correction or the eps?",
    ),
    Mistake(
        "no_correction",
        "{part} is what comes out when m and v are used uncorrected, as if they had not started "
        "at 0",
        Edit("m_hat = m / (1 - beta1**t)", "m_hat = m"),
        Edit("v_hat = v / (1 - beta2**t)", "v_hat = v"),
        ask=(
            "After one update from zeros m is a tenth of g. Is a tenth a good guess of the "
            "gradient's mean?"
        ),
    ),
    Mistake(
        "v_uncorrected",
        "{part} is what comes out when m is corrected and v is not",
        Edit("v_hat = v / (1 - beta2**t)", "v_hat = v"),
        ask=(
            "After one update from zeros v is a fiftieth of g squared. What does that do to the "
            "length of the step?"
        ),
    ),
    Mistake(
        "corrected_kept",
        "the corrected m and v are kept in the state, and corrected again in the next update",
        Edit("kept_m.append(m)", "kept_m.append(m_hat)"),
        Edit("kept_v.append(v)", "kept_v.append(v_hat)"),
        ask="Is the running mean that the next update starts from m, or m hat?",
    ),
    Mistake(
        "betas_swapped",
        "m forgets as slowly as v should, and v as fast as m should",
        Edit('t = state["t"] + 1', 't = state["t"] + 1\n    beta1, beta2 = beta2, beta1'),
        ask=(
            "Which of the two means is to look back over about 50 updates, and which over about 10?"
        ),
    ),
    Mistake(
        "nothing_remembered",
        "m and v know of the last gradient alone",
        Edit("m = m * beta1 + ", "m = "),
        Edit("v = v * beta2 + ", "v = "),
        ask="What of the m that came in is in the m that goes out?",
    ),
    Mistake(
        "no_root",
        "{part} is what comes out when the step is divided by v itself, not by its root",
        Edit("np.sqrt(v_hat)", "v_hat"),
        ask=(
            "Multiply all gradients by 1000. By what does m grow, by what does v, and what "
            "becomes of the step?"
        ),
    ),
    Mistake(
        "uphill",
        "{part} is what comes out when the parameters move along the gradient, not against it",
        Edit("p - lr * m_hat", "p + lr * m_hat"),
        ask="The gradient points to where the loss grows. Which way should the parameters go?",
    ),
    Mistake(
        "v_of_sizes",
        "{part} is what comes out when v is a running mean of the size of the gradient",
        Edit("(1 - beta2) * g * g", "(1 - beta2) * np.abs(g)"),
        ask="Of what is v the running mean, by the formula?",
    ),
    Mistake(
        "v_without_square",
        "{part} is what comes out when v is a running mean of the gradient as it is",
        Edit("(1 - beta2) * g * g", "(1 - beta2) * g"),
        ask="May v be below 0 by the formula, and may yours?",
    ),
    Mistake(
        "corrected_m_kept",
        "the corrected m is kept in the state, and corrected again in the next update",
        Edit("kept_m.append(m)", "kept_m.append(m_hat)"),
        ask="Is the running mean that the next update starts from m, or m hat?",
    ),
    Mistake(
        "m_without_weight",
        "{part} is what comes out when the new gradient goes into m with its full weight",
        Edit("m = m * beta1 + (1 - beta1) * g", "m = m * beta1 + g"),
        ask=(
            "If every gradient is 1, at which number does m arrive after many updates: by the "
            "formula, and by your lines?"
        ),
    ),
    Mistake(
        "means_exchanged",
        "{part} is what comes out when beta1 and beta2 are exchanged in the two running means, "
        "and not in the corrections",
        Edit("m * beta1 + (1 - beta1) * g", "m * beta2 + (1 - beta2) * g"),
        Edit("v * beta2 + (1 - beta2) * g * g", "v * beta1 + (1 - beta1) * g * g"),
        ask=(
            "Which of the two means is to look back over about 50 updates, and which over about 10?"
        ),
    ),
    Mistake(
        "weights_exchanged",
        "{part} is what comes out when the running means keep 1 - beta of what they were, and "
        "take beta of the new",
        Edit("m * beta1 + (1 - beta1) * g", "m * (1 - beta1) + beta1 * g"),
        Edit("v * beta2 + (1 - beta2) * g * g", "v * (1 - beta2) + beta2 * g * g"),
        ask=(
            "With beta = 0.9, how much of the old mean is in the new one: by the formula, and by "
            "your lines?"
        ),
    ),
    Mistake(
        "step_before_the_means",
        "{part} is what comes out when the step is made with the m and v that came in, without "
        "the new gradient",
        Edit("m_hat = m /", "m_hat = state['m'][len(moved)] /"),
        Edit("v_hat = v /", "v_hat = state['v'][len(moved)] /"),
        ask=(
            "Does the update of a batch use the gradient of that batch? Follow g through your "
            "lines."
        ),
    ),
    Mistake(
        "m_before_the_mean",
        "{part} is what comes out when the step is made with the m that came in, and with the new"
        " v",
        Edit("m_hat = m /", "m_hat = state['m'][len(moved)] /"),
        ask=(
            "Does the update of a batch use the gradient of that batch? Follow g through your "
            "lines."
        ),
    ),
    Mistake(
        "beta_without_power",
        "{part} is what comes out when the correction divides by 1 - beta, however many updates "
        "there were",
        Edit("m_hat = m / (1 - beta1**t)", "m_hat = m / (1 - beta1)"),
        Edit("v_hat = v / (1 - beta2**t)", "v_hat = v / (1 - beta2)"),
        ask=(
            "After a thousand updates, is there still anything to correct: by the formula, and by"
            " your lines?"
        ),
    ),
    Mistake(
        "beta_times_t",
        "{part} is what comes out when beta is multiplied by t in the correction",
        Edit("m_hat = m / (1 - beta1**t)", "m_hat = m / (1 - beta1 * t)"),
        Edit("v_hat = v / (1 - beta2**t)", "v_hat = v / (1 - beta2 * t)"),
        ask="What is beta1^t for t = 3 and beta1 = 0.9? Print yours.",
    ),
    Mistake(
        "correction_multiplied",
        "{part} is what comes out when m and v are multiplied by 1 - beta^t: they get smaller yet",
        Edit("m_hat = m / (1 - beta1**t)", "m_hat = m * (1 - beta1**t)"),
        Edit("v_hat = v / (1 - beta2**t)", "v_hat = v * (1 - beta2**t)"),
        ask="m is too small at first. Does your correction make it larger?",
    ),
    Mistake(
        "no_rate",
        "{part} is what comes out when the step does not depend on the learning rate",
        Edit("lr * m_hat", "m_hat"),
        ask="Which of the arguments have you not used?",
    ),
]
