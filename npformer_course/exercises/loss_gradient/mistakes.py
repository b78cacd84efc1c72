"""What people write in place of the solution of loss_gradient, and what to say of it."""

from npformer_course.definition import Edit, Mistake

LOG_P = "log_p = shifted - np.log(total)"
LOSS = "return -(q * log_p).sum()"

SUM_TO_0 = "What do p and q add up to, and so their difference? What do your numbers add up to?"

MISTAKES = [
    Mistake(
        "logarithm_of_p",
        "where a score is far below the others, the loss is infinite or NaN, as if its "
        "probability had been rounded to 0 before its logarithm was taken",
        Edit(LOG_P, "log_p = np.log(softmax(z))"),
        ask="What is np.log(np.exp(-800.0)), and what should it be?",
    ),
    Mistake(
        "nothing_subtracted",
        "where the scores are far from 0, the loss is infinite or NaN, as if their exponentials "
        "were infinite, or all 0",
        Edit("shifted = z - z.max()", "shifted = z"),
        ask="What is np.exp(800.0) in floats, and which number may be subtracted from all scores?",
    ),
    Mistake(
        "nothing_subtracted_in_the_second_formula",
        "where the scores are far from 0, the loss is infinite or NaN, as if their exponentials "
        "were infinite, or all 0",
        Edit(LOSS, "return np.log(np.exp(z).sum()) - (q * z).sum()"),
        ask="What is np.exp(800.0) in floats, and which number may be subtracted from all scores?",
    ),
    Mistake(
        "small_number_added",
        "where a score is far below the others, its logarithm is cut off, as if a small number "
        "were added to its probability",
        Edit(LOG_P, "log_p = np.log(softmax(z) + 1e-9)"),
        ask="A score is 800 below the others. What is ln p by the formula, and what is yours?",
    ),
    Mistake(
        "smaller_number_added",
        "where a score is far below the others, its logarithm is cut off, as if a small number "
        "were added to its probability",
        Edit(LOG_P, "log_p = np.log(softmax(z) + 1e-12)"),
        ask="A score is 800 below the others. What is ln p by the formula, and what is yours?",
    ),
    Mistake(
        "largest_score_lost",
        "{part} is what comes out when the largest score is subtracted in the sum alone",
        Edit(LOG_P, "log_p = z - np.log(total)"),
        ask="In ln p the score and the sum have to belong together. Do yours?",
    ),
    Mistake(
        "sign_of_the_loss",
        "{part} has the other sign",
        Edit(LOSS, "return (q * log_p).sum()"),
        ask="Is the logarithm of a probability above or below 0, and should a loss be?",
    ),
    Mistake(
        "mean_over_the_tokens",
        "{part} is a mean over the vocabulary",
        Edit(LOSS, "return -(q * log_p).mean()"),
        ask="How many positions are there, and over what does the formula sum?",
    ),
    Mistake(
        "only_one_token",
        "{part} is -ln p of the token with the largest q: no other one counts",
        Edit(LOSS, "return -log_p[q.argmax()]"),
        ask="q may have several numbers above 0. Which of them are in the formula's sum?",
    ),
    Mistake(
        "not_weighted",
        "{part} is a sum over all tokens, whatever q says of them",
        Edit(LOSS, "return -log_p.sum()"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "no_sum_of_exponentials",
        "{part} is the first term of the second formula alone: the scores are taken for ln p",
        Edit(LOSS, "return -(q * z).sum()"),
        ask="Add 1 to all scores. Do the probabilities change, and does your loss?",
    ),
    Mistake(
        "p_for_its_logarithm",
        "{part} is what comes out without the logarithm",
        Edit(LOSS, "return -(q * np.exp(log_p)).sum()"),
        ask="What is the loss of a model whose p is 1 for the right token, and what is yours?",
    ),
    Mistake(
        "logarithm_to_base_2",
        "{part} is in bits: the logarithm is to the base 2",
        Edit(LOSS, "return -(q * log_p).sum() / np.log(2)"),
        ask="Which logarithm undoes the exponential of softmax?",
    ),
    Mistake(
        "entropy_of_q_subtracted",
        "{part} is what is left when the entropy of q is subtracted (the KL divergence)",
        Edit(LOSS, "return -(q * (log_p - np.log(np.where(q > 0, q, 1)))).sum()"),
        ask="Does the formula take the logarithm of q?",
    ),
    Mistake(
        "logarithm_of_the_sum",
        "{part} is the logarithm of a sum: that of p, weighted with q",
        Edit(LOSS, "return -np.log((q * softmax(z)).sum())"),
        ask="Which comes first in the formula, the logarithm or the sum?",
    ),
    Mistake(
        "sum_of_squares",
        "{part} is the sum of the squares of p - q",
        Edit(LOSS, "return ((softmax(z) - q) ** 2).sum()"),
        ask="Where is the logarithm of the formula in your lines?",
    ),
    Mistake(
        "per_token",
        "{part} is an array: the summands, not yet added up",
        Edit(LOSS, "return -q * log_p"),
        ask="How many numbers is a loss?",
    ),
    Mistake(
        "q_minus_p",
        "{part} has the other sign: it is the direction of the step",
        Edit("return p - q", "return q - p"),
        ask="A token is too probable. If its score rises, does the loss rise or fall?",
    ),
    Mistake(
        "p_alone",
        "{part} does not depend on q: it is the derivative of the second term",
        Edit("return p - q", "return p"),
        ask=SUM_TO_0,
    ),
    Mistake(
        "q_alone",
        "{part} does not depend on the scores: it is the derivative of the first term",
        Edit("return p - q", "return -q"),
        ask=SUM_TO_0,
    ),
    Mistake(
        "softmax_forgotten",
        "{part} is the scores less q",
        Edit("p = softmax(z)", "p = z"),
        ask="What is p in the formula, and what is it in your lines?",
    ),
    Mistake(
        "one_hot_target",
        "{part} is what comes out when q is 1 at its largest number, and 0 elsewhere",
        Edit("return p - q", "return p - 1.0 * (q == q.max())"),
        ask="q may have several numbers above 0. What does your gradient make of the smaller ones?",
    ),
    Mistake(
        "one_subtracted_everywhere",
        "{part} is p less 1, for every token",
        Edit("return p - q", "return p - 1"),
        ask=SUM_TO_0,
    ),
    Mistake(
        "with_respect_to_p",
        "{part} is the derivative with respect to p, not with respect to the scores",
        Edit("return p - q", "return -q / np.maximum(p, 1e-300)"),
        ask="Which numbers are moved, the probabilities or the scores?",
    ),
    Mistake(
        "own_probability_alone",
        "{part} is what comes out when a score changes the probability of its own token and no "
        "other",
        Edit("return p - q", "return -q * (1 - p)"),
        ask="One score rises. What happens to the probabilities of the other tokens?",
    ),
    Mistake(
        "slope_of_softmax_twice",
        "{part} is what comes out when p - q is multiplied by p (1 - p)",
        Edit("return p - q", "return (p - q) * p * (1 - p)"),
        ask="Is the derivative of softmax not in p - q already? Follow the text from L to the end.",
    ),
    Mistake(
        "divided_by_the_tokens",
        "{part} is divided by the number of tokens in the vocabulary",
        Edit("return p - q", "return (p - q) / len(q)"),
        ask="How many positions are there, and over what would you take a mean?",
    ),
    Mistake(
        "twice_as_large",
        "{part} is twice what it should be, as that of a sum of squares",
        Edit("return p - q", "return 2 * (p - q)"),
        ask="Where does the factor 2 come from? Measure the slope of one score as the text does.",
    ),
    Mistake(
        "sizes_alone",
        "{part} has no sign: nothing in it is below 0",
        Edit("return p - q", "return np.abs(p - q)"),
        ask="Should the scores of all tokens go down in the next step?",
    ),
]
