"""What people write in place of the solution of greedy, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "goes_on_after_eos",
        "{part}: these numbers come out when a sentence that has ended is written on as long as "
        "another one is not done",
        Edit("tokens = np.where(ended, pad, tokens)", "pass"),
        Edit("np.where(ended, 0.0, following.max(-1))", "following.max(-1)"),
        ask=(
            "What do you write into the row of a sentence that ended three steps ago, and what "
            "does that cost?"
        ),
    ),
    Mistake(
        "padding_costs",
        "log_p of the sentences that end early is too low: it keeps sinking after <eos>",
        Edit("np.where(ended, 0.0, following.max(-1))", "following.max(-1)"),
        ask="The model also says something about what follows <eos>. Is that a part of P(Y)?",
    ),
    Mistake(
        "forgets_who_ended",
        "{part}: these numbers come out when behind <eos> comes one padding, and behind that the "
        "sentence is written on",
        Edit("ended = ended | (tokens == eos)", "ended = tokens == eos"),
        ask="Two steps after its <eos>: how does your loop know that this sentence has ended?",
    ),
    Mistake(
        "eos_of_the_toy",
        "{part}: these numbers come out when a sentence ends with the toy's <eos>, whatever the "
        "argument says",
        Edit("(tokens == eos)", "(tokens == EOS)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "pad_of_the_toy",
        "{part}: these numbers come out when padding is the toy's, whatever the argument says",
        Edit("np.where(ended, pad, tokens)", "np.where(ended, PAD, tokens)"),
        Edit(
            "ids = np.full((n_sentences, max_len), pad)",
            "ids = np.full((n_sentences, max_len), PAD)",
        ),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "first_position",
        "{part}: these numbers come out when every token is the one that the model expects behind "
        "<bos>",
        Edit("model(prefix)[:, -1]", "model(prefix)[:, 0]"),
        ask=(
            "The model answers for every position of what it reads. Which of its answers is "
            "about the token to come?"
        ),
    ),
    Mistake(
        "no_bos",
        "{part}: these numbers come out when the first tokens are what the model expects behind "
        "padding",
        Edit("prefix = np.full((n_sentences, 1), bos)", "prefix = np.full((n_sentences, 1), pad)"),
        ask="What was in front of the first word whenever the model was trained?",
    ),
    Mistake(
        "one_end_ends_all",
        "{part}: these numbers come out when no sentence is written on as soon as one has its "
        "<eos>",
        Edit("if ended.all():", "if ended.any():"),
        ask="When may the loop end: when some sentence is done, or when none is left?",
    ),
    Mistake(
        "asks_too_often",
        "every sentence has ended, and the model is asked again all the same",
        Edit("if ended.all():", "if False:"),
        ask=(
            "How often should the model be asked when the longest sentence has three tokens and "
            "max_len is 100?"
        ),
    ),
    Mistake(
        "eos_left_out",
        "<eos> is nowhere in ids",
        Edit("ids[:, t] = tokens", "ids[:, t] = np.where(tokens == eos, pad, tokens)"),
        ask=(
            "Look at the rules again: how can one tell a sentence that ended from one that was "
            "cut off?"
        ),
    ),
    Mistake(
        "eos_costs_nothing",
        "log_p lacks what <eos> costs",
        Edit(
            "np.where(ended, 0.0, following.max(-1))",
            "np.where(ended | (tokens == eos), 0.0, following.max(-1))",
        ),
        ask=(
            "Is stopping here, and not continuing, something that the model gives a probability to?"
        ),
    ),
    Mistake(
        "one_token_short",
        "{part}: these numbers come out when the last token is missing where a sentence is cut off",
        Edit("for t in range(max_len):", "for t in range(max_len - 1):"),
        ask=(
            "With max_len = 1, how many tokens is a sentence allowed, and how often does your "
            "loop run?"
        ),
    ),
    Mistake(
        "begins_with_bos",
        "{part} begins with <bos>, and every token stands one place too late",
        Edit(
            "return ids, log_p",
            "return np.concatenate([np.full((n_sentences, 1), bos), ids[:, :-1]], 1), log_p",
        ),
        ask="Which tokens has the model written, and which one did you give it?",
    ),
    Mistake(
        "last_token_alone",
        "{part}: these numbers come out when the model reads the last token alone, without those "
        "before it",
        Edit("following = model(prefix)[:, -1]", "following = model(prefix[:, -1:])[:, -1]"),
        ask=(
            "Two beginnings differ, and end with the same token. Could your model continue in "
            "two ways?"
        ),
    ),
    Mistake(
        "probabilities_added",
        "{part} is a sum of probabilities, not of their logarithms",
        Edit(
            "np.where(ended, 0.0, following.max(-1))",
            "np.where(ended, 0.0, np.exp(following.max(-1)))",
        ),
        ask="May log_p be above 0? Look at yours.",
    ),
    Mistake(
        "mean_log_p",
        "log_p is a mean over the tokens of a sentence, not their sum",
        Edit("return ids, log_p", "return ids, log_p / (ids != pad).sum(1)"),
        ask=(
            "Of two independent tokens with probability 1/2 each: what is the probability of "
            "both, and its logarithm?"
        ),
    ),
    Mistake(
        "probability_of_the_sentence",
        "log_p is the probability of each sentence, not its logarithm",
        Edit("return ids, log_p", "return ids, np.exp(log_p)"),
        ask="May log_p be above 0? Look at yours.",
    ),
    Mistake(
        "last_token_costs",
        "log_p is that of the last token alone",
        Edit(
            "log_p += np.where(ended, 0.0, following.max(-1))",
            "log_p = np.where(ended, log_p, following.max(-1))",
        ),
        ask="What becomes of log_p of the first tokens when the next one is written?",
    ),
    Mistake(
        "filled_with_eos",
        "{part}: these numbers come out when <eos> is in every place after the first <eos>",
        Edit("np.where(ended, pad, tokens)", "np.where(ended, eos, tokens)"),
        ask="What do the rules want in the places after <eos>?",
    ),
    Mistake(
        "bos_in_front",
        "{part} has <bos> in front, and one column too many",
        Edit(
            "return ids, log_p",
            "return np.concatenate([np.full((n_sentences, 1), bos), ids], 1), log_p",
        ),
        ask="Which tokens has the model written, and which one did you give it?",
    ),
    Mistake(
        "as_long_as_the_longest",
        "{part} has fewer columns than max_len, here as many as the longest sentence has tokens",
        Edit("return ids, log_p", "return ids[:, : prefix.shape[1] - 1], log_p"),
        ask="Which shape does the docstring name, and how many tokens may a sentence have?",
    ),
]
