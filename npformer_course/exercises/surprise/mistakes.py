"""What people write in place of the solution of surprise, and what to say of it."""

from npformer_course.definition import Edit, Mistake

SHIFTED = "shifted = logits - logits.max(-1, keepdims=True)"
LOG_TOTAL = "log_total = np.log(np.exp(shifted).sum(-1))"
RIGHT = "of_right = shifted[np.arange(len(ids)), ids]"
RESULT = "return log_total - of_right"
BITS = "return nats.mean() / np.log(2)"

MISTAKES = [
    Mistake(
        "nothing_subtracted",
        "where the logits are far from 0, the surprise is infinite or NaN, as if their "
        "exponentials were infinite, or all 0",
        Edit(SHIFTED, "shifted = logits"),
        ask="What is np.exp(800.0) in floats, and which number may be subtracted from a whole row?",
    ),
    Mistake(
        "logarithm_of_p",
        "where the right character is far below the others, the surprise is infinite or NaN, as "
        "if its probability had been rounded to 0 before its logarithm was taken",
        Edit(RESULT, "return -np.log(np.exp(of_right) / np.exp(shifted).sum(-1))"),
        ask="What is np.log(np.exp(-800.0)), and what should it be?",
    ),
    Mistake(
        "small_number_added",
        "where the right character is far below the others, its surprise is cut off, as if a small "
        "number were added to its probability",
        Edit(RESULT, "return -np.log(np.exp(of_right) / np.exp(shifted).sum(-1) + 1e-12)"),
        ask="A logit is 800 below the others. What is its surprise by the formula, and by yours?",
    ),
    Mistake(
        "sign",
        "{part} has the other sign: it is ln p",
        Edit(RESULT, "return of_right - log_total"),
        ask="Is the logarithm of a probability above or below 0, and should a surprise be?",
    ),
    Mistake(
        "probability",
        "{part} is the probability of the character that came, without a logarithm",
        Edit(RESULT, "return np.exp(of_right - log_total)"),
        ask="What is the surprise of a character that was certain, and what is yours?",
    ),
    Mistake(
        "probability_missing",
        "{part} is 1 - p, the probability that another character comes",
        Edit(RESULT, "return 1 - np.exp(of_right - log_total)"),
        ask="How large can your numbers become? How large is the surprise when p is nearly 0?",
    ),
    Mistake(
        "in_bits",
        "{part} is in bits: the logarithm is to the base 2",
        Edit(RESULT, "return (log_total - of_right) / np.log(2)"),
        ask="Which logarithm does the formula have, and what is the unit that is asked for here?",
    ),
    Mistake(
        "logits_not_normalized",
        "{part} is the logit of the character that came, with the other sign: the sum is missing",
        Edit(RESULT, "return -logits[np.arange(len(ids)), ids]"),
        ask="Add 1 to all logits. Do the probabilities change, and does your surprise?",
    ),
    Mistake(
        "largest_lost",
        "{part} is what comes out when the largest logit is subtracted in the sum alone",
        Edit(RIGHT, "of_right = logits[np.arange(len(ids)), ids]"),
        ask="The right logit and the sum have to belong together. Do yours?",
    ),
    Mistake(
        "best_character",
        "{part} is that of the most probable character, whichever came",
        Edit(RIGHT, "of_right = shifted.max(-1)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "first_character",
        "{part} is that of the character with the id 0 at every position",
        Edit(RIGHT, "of_right = shifted[:, 0]"),
        ask="Which id came at position 1, and which column of the logits do you take there?",
    ),
    Mistake(
        "all_pairs",
        "{part} has a row for each position and a column for each id",
        Edit(RESULT, "return log_total[:, None] - shifted[:, ids]"),
        ask="logits[:, ids] takes all ids from each row. How many numbers of a row are wanted?",
    ),
    Mistake(
        "one_sum",
        "{part} is what comes out when the powers are summed over all positions",
        Edit(LOG_TOTAL, "log_total = np.log(np.exp(shifted).sum())"),
        ask="What should the probabilities of one position add up to, and what do yours?",
    ),
    Mistake(
        "mean",
        "{part} is one number, the mean over the positions",
        Edit(RESULT, "return (log_total - of_right).mean()"),
        ask="How many characters came, and how many surprises are asked for?",
    ),
    Mistake(
        "in_nats",
        "{part} is the mean in nats",
        Edit(BITS, "return nats.mean()"),
        ask="A character of probability one half costs one bit. What does it cost by your line?",
    ),
    Mistake(
        "times_ln_2",
        "{part} is the mean times ln 2",
        Edit(BITS, "return nats.mean() * np.log(2)"),
        ask="A character of probability one half costs ln 2 nats. How many bits is that by yours?",
    ),
    Mistake(
        "sum_of_bits",
        "{part} is the sum over the characters",
        Edit(BITS, "return nats.sum() / np.log(2)"),
        ask="Does a text of twice the length have twice as many bits per character?",
    ),
    Mistake(
        "logarithm_of_the_mean",
        "{part} is the logarithm of the mean of p, to the base 2",
        Edit(BITS, "return -np.log2(np.exp(-nats).mean())"),
        ask="Which comes first, the logarithm or the mean?",
    ),
    Mistake(
        "perplexity",
        "{part} is the perplexity: the exponential of the mean",
        Edit(BITS, "return np.exp(nats.mean())"),
        ask="How many bits does a text cost in which every character was certain, and by yours?",
    ),
    Mistake(
        "logarithm_of_nats",
        "{part} is what comes out when the logarithm to the base 2 is taken of the nats",
        Edit(BITS, "return np.log2(nats).mean()"),
        ask="The nats are logarithms already. What turns their unit into bits?",
    ),
    Mistake(
        "probabilities_again",
        "where a surprise is about 800, the mean is infinite or NaN, as if its probability had been "
        "rounded to 0 before its logarithm was taken",
        Edit(BITS, "return -np.log2(np.exp(-nats)).mean()"),
        ask="What is np.log2(np.exp(-800.0)), and what should it be?",
    ),
]
