"""What people write in place of the solution of score_ceiling, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MATCH = "match = (p * q).sum(-1)"
MEAN = "return match.mean()"
BEST = "best = q.max(-1)"
CEILING = "return best.mean()"

MISTAKES = [
    Mistake(
        "sum_over_sources",
        "{part} is added up over the sources, and not divided by their number",
        Edit(MEAN, "return match.sum()"),
        ask="Can a share be above 1, and could yours?",
    ),
    Mistake(
        "mean_over_answers",
        "{part} is divided by the number of answers as well",
        Edit(MATCH, "match = (p * q).mean(-1)"),
        ask="Both always give answer 0. In which share of the sources do they match, and what is "
        "your result?",
    ),
    Mistake(
        "one_for_each_source",
        "{part} is an array: the mean over the sources is missing",
        Edit(MEAN, "return match"),
        ask="How many numbers is the score of a whole test?",
    ),
    Mistake(
        "product_over_sources",
        "{part} is the probability that all sources match",
        Edit(MEAN, "return match.prod()"),
        ask="One source cannot be matched. Is the share of the others then 0?",
    ),
    Mistake(
        "best_answers_compared",
        "{part} is the share of sources in which the most probable answers of both are the same",
        Edit(MATCH, "match = p.argmax(-1) == q.argmax(-1)"),
        ask="Two answers are equally usual, and the model always gives one of them. How often does "
        "it match?",
    ),
    Mistake(
        "model_answers_its_best",
        "{part} is what comes out when the model always gives its most probable answer",
        Edit(MATCH, "match = np.take_along_axis(q, p.argmax(-1)[:, None], -1)"),
        ask="How often does the model give its second answer, and what does that add?",
    ),
    Mistake(
        "reference_is_the_usual_one",
        "{part} is what comes out when the reference is always its most probable answer",
        Edit(MATCH, "match = np.take_along_axis(p, q.argmax(-1)[:, None], -1)"),
        ask="How often is the reference its second answer, and what does that add?",
    ),
    Mistake(
        "overlap",
        "{part} is what both distributions have in common, answer by answer",
        Edit(MATCH, "match = np.minimum(p, q).sum(-1)"),
        ask="Both throw a coin, each its own. How often do they show the same side?",
    ),
    Mistake(
        "cosine",
        "{part} is divided by the norms of p and q",
        Edit(
            MATCH,
            "norms = np.sqrt((p * p).sum(-1) * (q * q).sum(-1))\n"
            "    match = (p * q).sum(-1) / norms",
        ),
        ask="Both throw a coin, each its own. How often do they show the same side?",
    ),
    Mistake(
        "model_with_itself",
        "{part} does not depend on q: the model is compared with itself",
        Edit(MATCH, "match = (p * p).sum(-1)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "largest_product",
        "{part} has only the largest summand of each source",
        Edit(MATCH, "match = (p * q).max(-1)"),
        ask="In how many ways can answer and reference be the same?",
    ),
    Mistake(
        "logarithm",
        "{part} is the cross-entropy of the two",
        Edit(MATCH, "match = -(q * np.log(p)).sum(-1)"),
        ask="Is there a logarithm in the formula?",
    ),
    Mistake(
        "best_draws_from_q",
        "{part} is the score of a model that draws its answers as the references were drawn",
        Edit(BEST, "best = (q * q).sum(-1)"),
        ask="When such a model draws a rare answer, would another one have had a better chance?",
    ),
    Mistake(
        "all_equally_usual",
        "{part} is what comes out when all answers that occur are equally usual",
        Edit(BEST, "best = 1 / (q > 0).sum(-1)"),
        ask="Of two answers one is written in 90% of all cases. How often can a model match?",
    ),
    Mistake(
        "one_of_all_answers",
        "{part} is one divided by the number of answers, whatever q is",
        Edit(BEST, "best = np.ones(len(q)) / q.shape[-1]"),
        ask="Which of the numbers of q have you used?",
    ),
    Mistake(
        "perfect_model",
        "{part} is 1, as if a model could see the reference",
        Edit(BEST, "best = np.ones(len(q))"),
        ask="Two answers are equally usual. How does the model know which one was written?",
    ),
    Mistake(
        "equally_usual_ones_added",
        "{part} adds up the chances of answers that are equally usual, where no other is more so",
        Edit(BEST, "best = (q * (q == q.max(-1, keepdims=True))).sum(-1)"),
        ask="Two answers have the probability 0.5 each. How often does a model match that always "
        "gives one of them?",
    ),
    Mistake(
        "one_answer_for_all",
        "{part} is the score of a model that gives the same answer to every source",
        Edit(BEST, "best = q.mean(0).max()"),
        ask="May a model give another answer to another source?",
    ),
    Mistake(
        "largest_over_sources",
        "{part} is what comes out when the largest number is taken over the sources",
        Edit(BEST, "best = q.max(0)"),
        ask="For which does the model choose: an answer for each source, or a source for each "
        "answer?",
    ),
    Mistake(
        "largest_of_all",
        "{part} is the largest number of q: the ceiling of the easiest source",
        Edit(CEILING, "return best.max()"),
        ask="Does the score of a test depend on one source only?",
    ),
    Mistake(
        "hardest_source",
        "{part} is the ceiling of the hardest source",
        Edit(CEILING, "return best.min()"),
        ask="Does the score of a test depend on one source only?",
    ),
    Mistake(
        "ceilings_added",
        "{part} is added up over the sources, and not divided by their number",
        Edit(CEILING, "return best.sum()"),
        ask="Can a share be above 1, and could yours?",
    ),
    Mistake(
        "ceilings_multiplied",
        "{part} is the probability that the best model matches all sources",
        Edit(CEILING, "return best.prod()"),
        ask="One source has a thousand right answers. Does that spoil the share of the others?",
    ),
    Mistake(
        "ceiling_of_each_source",
        "{part} is an array: the mean over the sources is missing",
        Edit(CEILING, "return best"),
        ask="How many numbers is the score of a whole test?",
    ),
    Mistake(
        "from_the_entropy",
        "{part} is made of the entropy of q: it is what perplexity would say",
        Edit(BEST, "best = np.exp((q * np.log(np.where(q > 0, q, 1))).sum(-1))"),
        ask="Of two answers one is written in 90% of all cases. How often can a model match?",
    ),
    Mistake(
        "how_often_not",
        "{part} is how often even the best model does not match",
        Edit(BEST, "best = 1 - q.max(-1)"),
        ask="With one right answer for each source, what should the ceiling be?",
    ),
]
