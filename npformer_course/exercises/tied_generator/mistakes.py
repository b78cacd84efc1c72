"""What people write in place of the solution of tied_generator, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "root_here_too",
        "{part} is the root of d_model times what it should be",
        Edit("return x @ table.T", "return math.sqrt(x.shape[-1]) * (x @ table.T)"),
        Edit("V, D = table.shape\n", "V, D = table.shape\n    dlogits = dlogits * math.sqrt(D)\n"),
        ask=(
            "Which of the three uses of the table does section 3.4 multiply by the root of d_model?"
        ),
    ),
    Mistake(
        "divided_by_root",
        "{part} is what it should be, divided by the root of d_model",
        Edit("return x @ table.T", "return (x @ table.T) / math.sqrt(x.shape[-1])"),
        Edit("V, D = table.shape\n", "V, D = table.shape\n    dlogits = dlogits / math.sqrt(D)\n"),
        ask="Attention divides its scores by a root. Does the text say that of these scores?",
    ),
    Mistake(
        "table_reshaped",
        "the logits are what comes out when the table gets the shape (D, V), and its numbers "
        "stay in their order",
        Edit("return x @ table.T", "return x @ table.reshape(table.shape[::-1])"),
        ask=(
            "Make a table of 2 rows and 3 columns. Which number is in row 0, column 1 of its "
            "transpose, and which in yours?"
        ),
    ),
    Mistake(
        "transposed",
        "dtable holds the right numbers in the wrong places: those of its transpose, read row by "
        "row",
        Edit(
            "dlogits.reshape(-1, V).T @ x.reshape(-1, D)",
            "(x.reshape(-1, D).T @ dlogits.reshape(-1, V)).reshape(V, D)",
        ),
        ask=(
            "A product of shape (D, V) fits into (V, D) after a reshape. Which number then is in "
            "row v, column d?"
        ),
    ),
    Mistake(
        "last_sentence_only",
        "dtable is the gradient of the last sentence alone",
        Edit("dlogits.reshape(-1, V).T @ x.reshape(-1, D)", "dlogits[-1].T @ x[-1]"),
        ask=(
            "Every sentence of the batch uses the table. What happens to the parts of the "
            "earlier ones?"
        ),
    ),
    Mistake(
        "averaged",
        "dtable is a mean over the positions",
        Edit("@ x.reshape(-1, D)\n", "@ x.reshape(-1, D) / x[..., 0].size\n"),
        ask="If one number of the table moves, do the changes of the loss at two positions add up?",
    ),
    Mistake(
        "embeddings_missing",
        "the tied gradient is the generator's part alone",
        Edit("np.add.at(total, src, dsource)", ""),
        Edit("np.add.at(total, tgt, dtarget)", ""),
        ask="Change a row of the table. Does only the score change, or also what the model reads?",
    ),
    Mistake(
        "generator_missing",
        "the tied gradient holds the embeddings' parts alone",
        Edit("total = 1.0 * dgenerator", "total = 0.0 * dgenerator"),
        ask=(
            "When the gradients of the embeddings arrive, something of this table's gradient is "
            "there already. Where did it go?"
        ),
    ),
    Mistake(
        "source_missing",
        "the tied gradient lacks what the source tokens give",
        Edit("np.add.at(total, src, dsource)", ""),
        ask="How many of the model's two columns read tokens with this table?",
    ),
    Mistake(
        "source_twice",
        "{part} holds the source's part twice, and nothing of the target",
        Edit("np.add.at(total, tgt, dtarget)", "np.add.at(total, src, dsource)"),
        ask="Which ids and which gradients does each of your lines name?",
    ),
    Mistake(
        "target_missing",
        "the tied gradient lacks what the target tokens give",
        Edit("np.add.at(total, tgt, dtarget)", ""),
        ask="How many of the model's two columns read tokens with this table?",
    ),
    Mistake(
        "root_forgotten",
        "the embeddings' parts of the tied gradient are too small by the root of d_model",
        Edit("root = math.sqrt(dgenerator.shape[1])", "root = 1"),
        ask=(
            "By how much does the output of the embedding move when a number of the table moves "
            "by 1?"
        ),
    ),
    Mistake(
        "repeats_lost",
        "of an id that stands several times in src, or in tgt, the tied gradient counts only one "
        "place there",
        Edit("np.add.at(total, src, dsource)", "total[src] += dsource"),
        Edit("np.add.at(total, tgt, dtarget)", "total[tgt] += dtarget"),
        ask=(
            "What does `a = np.zeros(3); a[[1, 1]] += 1` leave in a[1]? When your code meets an "
            "id again, what becomes of what it had?"
        ),
    ),
    Mistake(
        "embeddings_halved",
        "the tied gradient holds half of what source and target tokens give",
        Edit("dsrc * root", "dsrc * root / 2"),
        Edit("dtgt * root", "dtgt * root / 2"),
        ask=(
            "If a row of the table moves, do the changes of the loss by way of source and target "
            "add up?"
        ),
    ),
    Mistake(
        "softmax_taken",
        "{part} is what comes out when the softmax of the scores is taken as well",
        Edit(
            "return x @ table.T",
            "raised = np.exp(x @ table.T - (x @ table.T).max(-1, keepdims=True))\n"
            "    return raised / raised.sum(-1, keepdims=True)",
        ),
        ask="What are logits: scores, or the probabilities that are made of them?",
    ),
    Mistake(
        "first_sentence_only",
        "dtable is the gradient of the first sentence alone",
        Edit("dlogits.reshape(-1, V).T @ x.reshape(-1, D)", "dlogits[0].T @ x[0]"),
        ask=(
            "Every sentence of the batch uses the table. What happens to the parts of the later "
            "ones?"
        ),
    ),
    Mistake(
        "root_of_V",
        "the embeddings' parts of the tied gradient are multiplied by the root of the number of "
        "tokens",
        Edit("root = math.sqrt(dgenerator.shape[1])", "root = math.sqrt(dgenerator.shape[0])"),
        ask="Which of the two axes of the table is d_model?",
    ),
    Mistake(
        "root_divided",
        "the embeddings' parts of the tied gradient are divided by the root of d_model",
        Edit("root = math.sqrt(dgenerator.shape[1])", "root = 1 / math.sqrt(dgenerator.shape[1])"),
        ask=(
            "By how much does the output of the embedding move when a number of the table moves "
            "by 1?"
        ),
    ),
    Mistake(
        "row_of_padding_cleared",
        "the row of id 0 is 0 in the tied gradient",
        Edit("    return total\n", "    total[0] = 0\n    return total\n"),
        ask="Is there padding in this exercise, and what does id 0 stand for here?",
    ),
    Mistake(
        "repeats_of_the_source_lost",
        "of an id that stands several times in src, the tied gradient counts only one place",
        Edit("np.add.at(total, src, dsource)", "total[src] += dsource"),
        ask="What does total[ids] += dy do with an id that is there twice?",
    ),
    Mistake(
        "repeats_of_the_target_lost",
        "of an id that stands several times in tgt, the tied gradient counts only one place",
        Edit("np.add.at(total, tgt, dtarget)", "total[tgt] += dtarget"),
        ask="What does total[ids] += dy do with an id that is there twice?",
    ),
    Mistake(
        "source_without_the_root",
        "the source's part of the tied gradient is too small by the root of d_model",
        Edit("dsrc * root", "dsrc"),
        ask="What did forward do with the row of a source token before the encoder got it?",
    ),
    Mistake(
        "target_without_the_root",
        "the target's part of the tied gradient is too small by the root of d_model",
        Edit("dtgt * root", "dtgt"),
        ask="What did forward do with the row of a target token before the decoder got it?",
    ),
]
