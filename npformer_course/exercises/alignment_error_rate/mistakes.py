"""What people write in place of the solution of alignment_error_rate, and what to say of it."""

from npformer_course.definition import Edit, Mistake

LARGEST = "largest = weights.max(-1, keepdims=True)"
LINKS = "return weights == largest"
RATE = "return 1 - 2 * n_both / n_links"
N_LINKS = "n_links = found.sum() + gold.sum()"
N_BOTH = "n_both = (found & gold).sum()"

MISTAKES = [
    Mistake(
        "largest_of_each_column",
        "{part} has one link in each column: for each word that was read, who looks at it most",
        Edit(LARGEST, "largest = weights.max(0, keepdims=True)"),
        ask="Who looks, and who is looked at? Which of the two should have exactly one link?",
    ),
    Mistake(
        "largest_of_all",
        "{part} has one link in all, at the largest weight of the whole table",
        Edit(LARGEST, "largest = weights.max()"),
        ask="How many links should a table of three written words have?",
    ),
    Mistake(
        "smallest",
        "{part} has a link at the smallest weight of each row",
        Edit(LARGEST, "largest = weights.min(-1, keepdims=True)"),
        ask="Does a word with a small weight belong to the one that looks?",
    ),
    Mistake(
        "more_than_the_mean",
        "{part} is True wherever a weight is above the mean of its row",
        Edit(LARGEST, "largest = weights.mean(-1, keepdims=True)"),
        Edit(LINKS, "return weights > largest"),
        ask="How many links has a row of yours, and how many should it have?",
    ),
    Mistake(
        "factor_2_missing",
        "{part} is what comes out without the factor 2",
        Edit(RATE, "return 1 - n_both / n_links"),
        ask="What should two equal tables give, and what do yours?",
    ),
    Mistake(
        "not_an_error",
        "{part} is 1 less the error rate: 1 is best",
        Edit(RATE, "return 2 * n_both / n_links"),
        ask="Should two equal tables give 0 or 1?",
    ),
    Mistake(
        "links_that_are_wrong",
        "{part} is the share of the links found that are not gold: what was missed does not count",
        Edit(RATE, "return 1 - n_both / found.sum()"),
        ask="A head finds a single link, and it is right. Which rate should it have, and by yours?",
    ),
    Mistake(
        "links_that_are_missed",
        "{part} is the share of the gold links that were missed: wrong ones do not count",
        Edit(RATE, "return 1 - n_both / gold.sum()"),
        ask="Link every word with every other. Which rate should that have, and by yours?",
    ),
    Mistake(
        "union",
        "{part} is the share of the union of both sets that is not in both",
        Edit(RATE, "return 1 - n_both / (found | gold).sum()"),
        ask="How often does a link in both sets count in the formula's denominator?",
    ),
    Mistake(
        "places_that_differ",
        "{part} is the share of all places in which the tables differ",
        Edit(RATE, "return (found != gold).mean()"),
        ask="Do two words without any link say something about the alignment?",
    ),
    Mistake(
        "number_that_differs",
        "{part} is how many places of the tables differ, and not a share",
        Edit(RATE, "return (found != gold).sum()"),
        ask="Which two numbers are between the best and the worst rate?",
    ),
    Mistake(
        "either_instead_of_both",
        "{part} is what comes out when the links that stand in either table are taken for those "
        "in both",
        Edit(N_BOTH, "n_both = (found | gold).sum()"),
        ask="What does the sign between A and G mean, and can your number be below 0?",
    ),
    Mistake(
        "mean_of_the_rows",
        "{part} is a mean over the words: each row has a rate of its own",
        Edit(N_BOTH, "n_both = (found & gold).sum(-1)"),
        Edit(N_LINKS, "n_links = np.maximum(found.sum(-1) + gold.sum(-1), 1)"),
        Edit(RATE, "return (1 - 2 * n_both / n_links).mean()"),
        ask="Over what does the formula count, over a row or over the table?",
    ),
]
