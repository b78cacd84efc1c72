"""What people write in place of the solution of embedding_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "repeats_lost",
        "of a word that occurs several times, only one place counts in dtable",
        Edit("np.add.at(into, ids, dy)", "into[ids] += dy"),
        ask=(
            "What does a[np.array([1, 1, 1])] += 1 add to a[1]? When your code meets a word "
            "again, what becomes of what it had?"
        ),
    ),
    Mistake(
        "repeats_lost_and_padding_trained",
        "of a word that occurs several times, only one place counts in dtable, and the row of "
        "padding has a gradient",
        Edit("np.add.at(into, ids, dy)", "into[ids] += dy"),
        Edit("into[PAD] = 0", "into[PAD] *= 1"),
        ask=(
            "What does a[np.array([1, 1, 1])] += 1 add to a[1]? When your code meets a word "
            "again, what becomes of what it had? And what did we agree on for id 0?"
        ),
    ),
    Mistake(
        "mean_over_places",
        "the row of a word that occurs several times gets the mean of its gradients",
        Edit(
            "into *= math.sqrt(D)",
            "into *= math.sqrt(D) / np.maximum(np.bincount(ids.reshape(-1), "
            "minlength=vocab_size), 1)[:, None]",
        ),
        ask="If a row moves by h and is used at two places, do the two changes of the loss add up?",
    ),
    Mistake(
        "no_root_in_backward",
        "a row of dtable is the plain sum of dy over the places of its word",
        Edit("into *= math.sqrt(D)", "into *= 1"),
        ask="Move a number of the table by h. By how much does the number of y move?",
    ),
    Mistake(
        "divided_in_backward",
        "dtable is divided by the root of d_model",
        Edit("into *= math.sqrt(D)", "into /= math.sqrt(D)"),
        ask="If y = 3 e, what is the derivative of the loss by e, given that by y?",
    ),
    Mistake(
        "padding_trained",
        "the row of padding has a gradient",
        Edit("into[PAD] = 0", "into[PAD] *= 1"),
        ask="What did we agree on for id 0?",
    ),
    Mistake(
        "left_at_padding",
        "where a sentence has padding inside, the words behind it are not in dtable",
        Edit(
            "np.add.at(into, ids, dy)",
            "np.add.at(into, ids, dy * np.cumprod(ids != PAD, 1)[..., None])",
        ),
        ask="A sentence is 5, 0, 7. Which of its words has your code seen when it is done with it?",
    ),
    Mistake(
        "column_of_padding",
        "the first column of dtable is 0, and not its first row",
        Edit("into[PAD] = 0", "into[:, PAD] = 0"),
        ask="Which axis of the table counts words, and which one features?",
    ),
    Mistake(
        "one_row_early",
        "every gradient is one row above that of its word",
        Edit("np.add.at(into, ids, dy)", "np.add.at(into, ids - 1, dy)"),
        ask="A vocabulary has V = 3 words. Which ids are there, and which row belongs to each?",
    ),
]
