"""What people write in place of the solution of bleu, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "not_clipped",
        "{part} is what comes out when an n-gram matches as often as the translation repeats it",
        Edit("min(count, theirs[gram])", "count * (gram in theirs)"),
        ask="How many matches has the translation the the the the, if the reference has the once?",
    ),
    Mistake(
        "different_n_grams",
        "only different n-grams are counted, each once",
        Edit("min(count, theirs[gram])", "min(1, theirs[gram])"),
        Edit("sum(own.values())", "len(own)"),
        ask="Does it matter to your count how often a sentence has the same word?",
    ),
    Mistake(
        "matches_once",
        "{part} is what comes out when each different n-gram matches at most once",
        Edit("min(count, theirs[gram])", "min(1, theirs[gram])"),
        ask="Both sentences have the twice. How many matches is that?",
    ),
    Mistake(
        "recall",
        "{part} is what comes out when the n-grams of the reference are the total",
        Edit("sum(own.values())", "sum(theirs.values())"),
        ask="A precision is a part of what was written. Who wrote the n-grams in your total?",
    ),
    Mistake(
        "last_n_gram_missing",
        "{part} is what comes out when the last n-gram of each sentence is missing",
        Edit("range(len(words) - n + 1)", "range(len(words) - n)"),
        ask=(
            "How many words does a sentence of four words have, and how many does your loop see "
            "for n = 1?"
        ),
    ),
    Mistake(
        "cut_n_grams",
        "{part} is what comes out when the ends of the sentences, shorter than n words, count as "
        "n-grams",
        Edit("range(len(words) - n + 1)", "range(len(words))"),
        ask="Print the last n-gram of a sentence for n = 4. How many words does it have?",
    ),
    Mistake(
        "same_place",
        "{part} is what comes out when an n-gram matches only at its own place in the sentence",
        Edit(
            "sum(min(count, theirs[gram]) for gram, count in own.items())",
            "sum(translation[i : i + n] == reference[i : i + n] "
            "for i in range(min(map(len, (translation, reference))) - n + 1))",
        ),
        ask="A translation begins with one word too many. Which of its other words are wrong?",
    ),
    Mistake(
        "bonus_for_long",
        "{part} is what comes out when a translation longer than its reference has a factor above"
        " 1",
        Edit("min(1.0, np.exp(1 - r / c))", "np.exp(1 - r / c)"),
        ask="What is the largest value that the penalty may have?",
    ),
    Mistake(
        "long_penalized",
        "translations that are too long are penalized, and those that are too short are not",
        Edit("np.exp(1 - r / c)", "np.exp(1 - c / r)"),
        ask="A translation of one word has c = 1. What is your factor for it?",
    ),
    Mistake(
        "both_penalized",
        "translations that are too long are penalized like those that are too short",
        Edit("np.exp(1 - r / c)", "np.exp(1 - max(r / c, c / r))"),
        ask="Which of the two cases of BP is that of a translation with too many words?",
    ),
    Mistake(
        "ratio",
        "{part} is what comes out when the penalty is c / r",
        Edit("np.exp(1 - r / c)", "c / r"),
        ask="Half of the words are missing. What is the penalty by the formula, and what by yours?",
    ),
    Mistake(
        "no_penalty",
        "{part} is what comes out without a penalty",
        Edit("brevity_penalty(c, r) * ", ""),
        ask="The whole translation is the word the. Which factor of your BLEU is small?",
    ),
    Mistake(
        "penalty_by_sentence",
        "{part} is what comes out when every sentence has a penalty, and their mean is taken",
        Edit(
            "100 * brevity_penalty(c, r)",
            "100 * np.mean([brevity_penalty(len(one), len(two)) for one, two in pairs])",
        ),
        ask=(
            "One sentence is short by a word, another long by one. What are c and r of the two "
            "together?"
        ),
    ),
    Mistake(
        "mean_of_sentences",
        "{part} is the mean of the BLEU of each sentence alone",
        Edit(
            "    matches, totals = counts.sum(0).T\n",
            "    if len(pairs) > 1:\n"
            "        return np.mean([corpus_bleu([one], [two]) for one, two in pairs])\n"
            "    matches, totals = counts.sum(0).T\n",
        ),
        ask=(
            "A sentence of three words has no sequence of four. What does it do to your mean, and"
            " what to the sums?"
        ),
    ),
    Mistake(
        "mean_precision",
        "{part} is what comes out when each precision is a mean over the sentences",
        Edit(
            "np.log(matches / totals)",
            "np.log((counts[..., 0] / np.maximum(counts[..., 1], 1)).mean(0))",
        ),
        ask="Do a sentence of 5 words and one of 50 have the same weight in the formula of p_n?",
    ),
    Mistake(
        "arithmetic_mean",
        "{part} is what comes out with the plain mean of the four precisions",
        Edit("np.exp(np.log(matches / totals).mean())", "(matches / totals).mean()"),
        ask="Which mean does the exponential of a mean of logarithms make?",
    ),
    Mistake(
        "product_without_root",
        "{part} is what comes out when the four precisions are multiplied, and no root is taken",
        Edit("np.log(matches / totals).mean()", "np.log(matches / totals).sum()"),
        ask="All four precisions are 1/2. What is their geometric mean?",
    ),
    Mistake(
        "up_to_three",
        "{part} is what comes out when sequences of four words are left out",
        Edit("np.zeros((len(pairs), 4, 2))", "np.zeros((len(pairs), 3, 2))"),
        Edit("for n in (1, 2, 3, 4):", "for n in (1, 2, 3):"),
        ask="Print the values that n takes. Which is the last?",
    ),
    Mistake(
        "part_of_1",
        "{part} is between 0 and 1",
        Edit("return 100 * brevity_penalty", "return brevity_penalty"),
        ask="What is the BLEU of a perfect translation, in the table of a paper?",
    ),
    Mistake(
        "zeros_left_out",
        "{part} is what comes out when a precision of 0 does not count as one of the four",
        Edit(
            "    if not matches.all():\n        return 0.0\n",
            "    matches, totals = matches[matches > 0], totals[matches > 0]\n",
        ),
        Edit(
            "np.log(matches / totals).mean()",
            "np.log(matches / totals).sum() / max(len(matches), 1)",
        ),
        ask="What is the product of 0.9, 0.8, 0.7 and 0, and what do you multiply?",
    ),
    Mistake(
        "nothing_to_count",
        "{part} is NaN where the translation has less than four words",
        Edit("    if not matches.all():\n        return 0.0\n", ""),
        ask=(
            "How many sequences of four does a sentence of three words have, and what do you "
            "divide by?"
        ),
    ),
    Mistake(
        "penalty_upside_down",
        "a translation that is too short has a factor above 1",
        Edit("min(1.0, np.exp(1 - r / c))", "1.0 if c >= r else np.exp(1 - c / r)"),
        ask=(
            "A translation has one word, its reference four. What is c / r, what r / c, and which"
            " makes the factor small?"
        ),
    ),
    Mistake(
        "up_to_three_of_four",
        "{part} is what comes out when three precisions are multiplied, and the fourth root is "
        "taken",
        Edit("np.zeros((len(pairs), 4, 2))", "np.zeros((len(pairs), 3, 2))"),
        Edit("for n in (1, 2, 3, 4):", "for n in (1, 2, 3):"),
        Edit("np.log(matches / totals).mean()", "np.log(matches / totals).sum() / 4"),
        ask="Print the values that n takes. Which is the last?",
    ),
    Mistake(
        "zeros_as_ones",
        "{part} is what comes out when a precision of 0 is passed over, as if it were 1",
        Edit(
            "    if not matches.all():\n        return 0.0\n",
            "    matches, totals = matches[matches > 0], totals[matches > 0]\n",
        ),
        Edit("np.log(matches / totals).mean()", "np.log(matches / totals).sum() / 4"),
        ask="What is the product of 0.9, 0.8, 0.7 and 0, and what do you multiply?",
    ),
    Mistake(
        "clipped_by_the_reference",
        "{part} is what comes out when an n-gram matches as often as the reference has it",
        Edit("min(count, theirs[gram])", "theirs[gram]"),
        ask=(
            "The translation has the once, and the reference three times. How many matches is that?"
        ),
    ),
    Mistake(
        "larger_of_both",
        "{part} is what comes out when the larger of the two counts is taken",
        Edit("min(count, theirs[gram])", "max(count, theirs[gram])"),
        ask="How many matches has an n-gram that the reference does not have?",
    ),
    Mistake(
        "without_order",
        "{part} is what comes out when the order of the words in an n-gram does not matter",
        Edit("Counter(tuple(words[i : i + n])", "Counter(tuple(sorted(words[i : i + n]))"),
        ask="Is the cat the same pair as cat the?",
    ),
    Mistake(
        "joined",
        "{part} is what comes out when the words of an n-gram are joined without anything between"
        " them",
        Edit("Counter(tuple(words[i : i + n])", "Counter(''.join(words[i : i + n])"),
        ask="Is now here the same pair of words as no where? What is each in your count?",
    ),
    Mistake(
        "fewer_than_none",
        "{part} is what comes out when a sentence shorter than n words has less than 0 n-grams",
        Edit("sum(own.values())", "len(translation) - n + 1"),
        ask=(
            "How many sequences of four does a sentence of two words have, and how many by your "
            "formula?"
        ),
    ),
    Mistake(
        "short_reference",
        "{part} is what comes out when nothing is counted where the reference has fewer than n "
        "words",
        Edit("counts = []", "counts = []\n    if len(reference) < n:\n        return 0, 0"),
        ask="Does the formula of the total depend on the reference?",
    ),
    Mistake(
        "different_in_the_total",
        "{part} is what comes out when the total counts each different n-gram once",
        Edit("sum(own.values())", "len(own)"),
        ask="How many words has the translation the the the the, and how many different ones?",
    ),
    Mistake(
        "cases_exchanged",
        "{part} is what comes out when the exponential is used for translations that are long "
        "enough, and 1 for others",
        Edit("min(1.0, np.exp(1 - r / c))", "max(1.0, np.exp(1 - r / c))"),
        # BLEU alone is that of no_penalty
        Edit("100 * brevity_penalty(c, r)", "100 * min(1.0, np.exp(1 - r / c))"),
        ask="A translation of one word has c = 1. What is your factor for it?",
    ),
    Mistake(
        "exponent_negated",
        "{part} is what comes out with the exponent r / c - 1 for translations that are too short",
        Edit("min(1.0, np.exp(1 - r / c))", "max(1.0, np.exp(r / c - 1))"),
        ask="Is a penalty above 1 a penalty?",
    ),
    Mistake(
        "penalty_under_the_root",
        "{part} is what comes out when the penalty is under the fourth root, as if it were a "
        "precision",
        Edit("100 * brevity_penalty(c, r)", "100 * brevity_penalty(c, r) ** 0.25"),
        ask="Of which numbers does the formula take the geometric mean?",
    ),
    Mistake(
        "add_one",
        "{part} is what comes out when 1 is added to all matches and totals",
        Edit("np.log(matches / totals)", "np.log((matches + 1) / (totals + 1))"),
        ask="Which precision has a corpus of 2 matches in 4: by the formula, and by your lines?",
    ),
    Mistake(
        "rounded",
        "{part} is a whole number",
        Edit(
            "return 100 * brevity_penalty(c, r) * np.exp(",
            "return np.round(100 * brevity_penalty(c, r) * np.exp(",
        ),
        Edit("np.log(matches / totals).mean())", "np.log(matches / totals).mean()))"),
        ask="Which of your lines rounds, and does the formula?",
    ),
]
