"""What people write in place of the solution of beam, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "stops_when_the_top_ends",
        "{part}: these numbers come out when the search is over as soon as the most probable "
        "continuation is <eos>",
        Edit(
            "if is_over(best_score, values[still_open[0]], max_len, alpha):", "if tokens[0] == eos:"
        ),
        ask=(
            "Could an open beginning, divided by the penalty of a longer sentence, still get the "
            "higher score?"
        ),
    ),
    Mistake(
        "penalty_while_running",
        "{part}: these numbers come out when the log P of the open beginnings is divided by the "
        "penalty at every step, again and again",
        Edit("values[still_open]\n", "values[still_open] / length_penalty(length, alpha)\n"),
        ask=(
            "After three steps, what is the log P of a beginning a sum of, and has any of it been"
            " divided?"
        ),
    ),
    Mistake(
        "state_stays",
        "{part}: these numbers come out when the beginnings change places, and the rows of the "
        "state do not",
        Edit("state = state[parents[still_open]]", "state = state[: len(still_open)]"),
        ask=(
            "The two best continuations may both continue beginning 2. What has the model noted "
            "down of them, in which row?"
        ),
    ),
    Mistake(
        "tokens_stay",
        "{part}: these numbers come out when the beginnings change places, and the tokens written "
        "before stay in their rows",
        Edit(
            "        if length == max_len:\n",
            "        longer[still_open] = np.append(paths, tokens[still_open, None], 1)\n"
            "        if length == max_len:\n",
        ),
        ask=(
            "The two best continuations may both continue beginning 2. Which tokens stand in "
            "front of theirs, in which row?"
        ),
    ),
    Mistake(
        "a_beam_of_copies",
        "{part}: these numbers come out when all open beginnings are one and the same from the "
        "first step on, as in greedy decoding",
        Edit("log_p = np.full(beam, -np.inf)", "log_p = np.zeros(beam)"),
        ask=(
            "You start with K equal rows. What keeps the first step from finding the same token K"
            " times?"
        ),
    ),
    Mistake(
        "no_penalty",
        "{part}: these numbers come out when log P is compared as it is, not divided by the "
        "penalty",
        Edit("score = values[i] / length_penalty(length, alpha)", "score = values[i]"),
        Edit("open_log_p / length_penalty(max_len, alpha)", "open_log_p"),
        ask=(
            "Where are sentences of different lengths compared, and what becomes of the log P of "
            "each before that?"
        ),
    ),
    Mistake(
        "power_of_the_length",
        "{part}: these numbers come out when the penalty is a power of the length itself",
        Edit("((5 + length) / 6) ** alpha\n", "length**alpha\n"),
        ask=(
            "Compare 2 tokens with 4: which formula lifts the longer one more, yours or that of "
            "Wu et al.?"
        ),
    ),
    Mistake(
        "ended_ones_go_on",
        "{part}: these numbers come out when continuations that end in <eos> stay in the beam and "
        "are continued",
        Edit("still_open = np.flatnonzero(~ended)[:beam]", "still_open = np.arange(beam)"),
        ask="What does the model say of the token behind <eos>, and has it ever learned that?",
    ),
    Mistake(
        "the_cut_are_lost",
        "{part}: these numbers come out when the beginnings that are open after max_len tokens "
        "never count as finished",
        Edit("if length == max_len:", "if length > max_len:"),
        ask="What does your search return when no sentence ends before max_len?",
    ),
    Mistake(
        "never_stops",
        "the model is asked max_len times, however early the winner is known",
        Edit("if is_over(best_score, values[still_open[0]], max_len, alpha):", "if False:"),
        ask="From when on can no open beginning win any more?",
    ),
    Mistake(
        "over_at_the_first_end",
        "{part}: these numbers come out when the search is over as soon as any sentence has ended",
        Edit(
            "if is_over(best_score, values[still_open[0]], max_len, alpha):",
            "if best_score > -np.inf:",
        ),
        ask=(
            "One sentence has ended with a bad score. Can an open beginning still get a better one?"
        ),
    ),
    Mistake(
        "bound_of_this_length",
        "{part}: these numbers come out when the search is over as soon as no open beginning would"
        " win if it ended here",
        Edit("values[still_open[0]], max_len, alpha):", "values[still_open[0]], length, alpha):"),
        ask="An open beginning may still grow. By what will its log P be divided at most?",
    ),
    Mistake(
        "bos_counted",
        "{part}: these numbers come out when the length of a sentence counts <bos>",
        Edit(
            "score = values[i] / length_penalty(length, alpha)",
            "score = values[i] / length_penalty(length + 1, alpha)",
        ),
        ask="What is |Y| of a sentence that ends at the first step?",
    ),
    Mistake(
        "ends_outside_the_first",
        "{part}: these numbers come out when every continuation by <eos> among the best 2K counts "
        "as finished",
        Edit("finished = ended & (np.arange(len(tokens)) < beam)", "finished = ended.copy()"),
        ask="Of the best 2K, which may finish a sentence, and what are the others for?",
    ),
    Mistake(
        "places_lost",
        "{part}: these numbers come out when each sentence that ends takes a place of the beam "
        "with it",
        Edit(
            "still_open = np.flatnonzero(~ended)[:beam]",
            "still_open = np.flatnonzero(~ended[:beam])",
        ),
        Edit("if is_over(best_score,", "if not len(still_open) or is_over(best_score,"),
        ask=(
            "K continuations are the best, and one of them ends. How many beginnings are open at "
            "the next step?"
        ),
    ),
    Mistake(
        "log_p_returned",
        "the score is the log P of the sentence, whatever its length",
        Edit(
            "    return best_ids, best_score",
            "    return best_ids, best_score * length_penalty(int((best_ids != pad).sum()), alpha)",
        ),
        ask="Which of the two, log P or s, does the docstring want?",
    ),
    Mistake(
        "eos_left_out",
        "the ids have no <eos>",
        Edit(
            "best_ids[:length] = longer[i, 1:]",
            "best_ids[:length] = np.where(longer[i, 1:] == eos, pad, longer[i, 1:])",
        ),
        ask="With which id does a finished sentence end?",
    ),
    Mistake(
        "the_past_forgotten",
        "{part}: these numbers come out when continuations are ranked by their last token alone",
        Edit(
            "totals = log_p[:, None] + next_log_p",
            "totals = next_log_p + np.where(log_p < -1e9, log_p, 0)[:, None]",
        ),
        ask=(
            "The probability of a beginning is a product. Which of its factors does your ranking "
            "look at?"
        ),
    ),
    Mistake(
        "penalty_not_1_for_one_token",
        "{part}: these numbers come out with a penalty of 6 ** alpha for a sentence of one token",
        Edit("((5 + length) / 6) ** alpha\n", "(5 + length) ** alpha\n"),
        ask="What is lp(1) by the formula, and what by your code?",
    ),
    Mistake(
        "log_p_unused",
        "{part}: these numbers come out when the log P of the beginnings is not used",
        Edit("totals = log_p[:, None] + next_log_p", "totals = next_log_p"),
        ask=(
            "The probability of a beginning is a product. Which of its factors does your ranking "
            "look at?"
        ),
    ),
    Mistake(
        "worst_first",
        "{part}: these numbers come out when the least probable continuations stand first",
        Edit("np.argsort(-totals, axis=None)", "np.argsort(totals, axis=None)"),
        ask="In which order does argsort sort, and which continuation should be the first?",
    ),
    Mistake(
        "best_last",
        "{part}: these numbers come out when the best continuations are found, and the best of "
        "them stands last",
        Edit("np.argsort(-totals, axis=None)[:n]", "np.argsort(totals, axis=None)[-n:]"),
        ask="In which order does argsort sort, and which continuation should be the first?",
    ),
    Mistake(
        "end_only_above_the_bound",
        "{part}: these numbers come out when the search continues if the best score equals the "
        "bound",
        Edit("best_score >= open_log_p", "best_score > open_log_p"),
        ask=(
            "A sentence that has the score of the bound already: can an open beginning still get "
            "a higher one?"
        ),
    ),
    Mistake(
        "six_plus_the_length",
        "{part}: these numbers come out with a penalty of ((6 + n) / 6) ** alpha",
        Edit("((5 + length) / 6) ** alpha\n", "((6 + length) / 6) ** alpha\n"),
        ask="What is lp(1) by the formula, and what by your code?",
    ),
    Mistake(
        "length_divided_alone",
        "in the length penalty only the length is divided by 6",
        Edit("((5 + length) / 6) ** alpha\n", "(5 + length / 6) ** alpha\n"),
        ask="What stands above the line of the fraction in the formula, and what in your code?",
    ),
    Mistake(
        "power_of_six",
        "in the length penalty the power belongs to 6 alone",
        Edit("((5 + length) / 6) ** alpha\n", "(5 + length) / 6**alpha\n"),
        ask=(
            "Which comes first in Python, the division or the power, and which does the formula "
            "do first?"
        ),
    ),
    Mistake(
        "alpha_as_a_factor",
        "in the length penalty alpha multiplies (5 + n) / 6",
        Edit("((5 + length) / 6) ** alpha\n", "((5 + length) / 6) * alpha\n"),
        ask="What is the penalty with alpha = 0 by the formula, and what by your code?",
    ),
    Mistake(
        "values_of_the_last_token",
        "{part}: these numbers come out when the values are the log-probabilities of the last "
        "tokens alone",
        Edit("return totals[parents, tokens]", "return next_log_p[parents, tokens]"),
        ask=(
            "The order of the values is that of the sums. Of how many tokens is each of them the "
            "log P?"
        ),
    ),
    Mistake(
        "the_worst_decides",
        "{part}: these numbers come out when the search is over as soon as the worst open "
        "beginning cannot win any more",
        Edit(
            "if is_over(best_score, values[still_open[0]]",
            "if is_over(best_score, values[still_open[-1]]",
        ),
        ask=(
            "Which of the open beginnings has the best chance, and which one do you give to "
            "is_over?"
        ),
    ),
    Mistake(
        "the_last_end_wins",
        "{part}: these numbers come out when of all finished sentences the last one is returned",
        Edit("            if score > best_score:", "            if np.isfinite(score):"),
        ask="Two sentences have ended. Which of your lines compares their scores?",
    ),
    Mistake(
        "the_cut_if_none_has_ended",
        "{part}: these numbers come out when the beginnings that are open after max_len tokens "
        "count only if no sentence has ended",
        Edit("if length == max_len:", "if length == max_len and best_score == -np.inf:"),
        ask=(
            "After max_len tokens, may a sentence that is cut off have a higher score than one "
            "with <eos>?"
        ),
    ),
    Mistake(
        "bos_in_front",
        "the ids begin with <bos>",
        Edit(
            "    return best_ids, best_score",
            "    return np.append(bos, best_ids[:-1]), best_score",
        ),
        ask="Which tokens has the model written, and which one did you give it?",
    ),
    Mistake(
        "filled_with_eos",
        "the ids have <eos> in every place after the first <eos>",
        Edit("np.full(max_len, pad), score", "np.full(max_len, eos), score"),
        ask="What do the rules want in the places after <eos>?",
    ),
    Mistake(
        "filled_with_0",
        "the ids have 0 in every place after <eos>, whatever pad is",
        Edit("np.full(max_len, pad), score", "np.zeros(max_len, int), score"),
        ask="Is padding always 0? Which argument says so?",
    ),
    Mistake(
        "found_and_not_sorted_0",
        "{part}: these numbers come out when the best continuations are found by a partition, "
        "and not sorted",
        Edit(
            "np.argsort(-totals, axis=None)[:n]",
            "np.argpartition(-totals, n - 1, axis=None)[:n] if n > 20 "
            "else np.argsort(-totals, axis=None)[:n]",
        ),
        ask="In which order are the first n entries after a partition? Look up argpartition.",
    ),
    Mistake(
        "found_and_not_sorted_1",
        "{part}: these numbers come out when the best continuations are found by a partition, "
        "and not sorted",
        Edit(
            "np.argsort(-totals, axis=None)[:n]",
            "np.argpartition(totals, -n, axis=None)[-n:] if n > 20 "
            "else np.argsort(-totals, axis=None)[:n]",
        ),
        ask="In which order are the first n entries after a partition? Look up argpartition.",
    ),
    Mistake(
        "one_token_less",
        "{part}: these numbers come out when the length of a sentence does not count its last "
        "token",
        Edit(
            "score = values[i] / length_penalty(length, alpha)",
            "score = values[i] / length_penalty(length - 1, alpha)",
        ),
        ask="What is |Y| of a sentence that ends at the first step?",
    ),
    Mistake(
        "the_cut_undivided",
        "{part}: these numbers come out when the log P of a sentence that is cut off after max_len"
        " tokens is not divided",
        Edit(
            "score = values[i] / length_penalty(length, alpha)",
            "score = values[i] / (1 if length == max_len else length_penalty(length, alpha))",
        ),
        ask="What is the score of a sentence without <eos>, by the rules?",
    ),
    Mistake(
        "found_in_the_order_of_places",
        "{part}: these numbers come out when the best continuations are found, and stand in the "
        "order of their places in the array",
        Edit("np.argsort(-totals, axis=None)[:n]", "np.sort(np.argsort(-totals, axis=None)[:n])"),
        ask="Which of your continuations is the first: the most probable one, or that of token 0?",
    ),
    Mistake(
        "ended_ones_undivided",
        "{part}: these numbers come out when the log P of a sentence that ends in <eos> is not "
        "divided by the penalty",
        Edit(
            "score = values[i] / length_penalty(length, alpha)",
            "score = values[i] / (length_penalty(length, alpha) if i in still_open else 1)",
        ),
        ask="Which sentences have a score by the rules: those with <eos>, those that are cut, or both?",
    ),
]
