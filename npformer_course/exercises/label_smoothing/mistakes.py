"""What people write in place of the solution of label_smoothing, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "over_v_minus_1",
        "the right token has 1 - eps exactly, and the V - 1 others share eps",
        Edit("share = eps / vocab_size", "share = eps / (vocab_size - 1)"),
        Edit("onehot + share", "onehot + share * (1 - onehot)"),
        ask="Among how many tokens is eps shared in the formula, and is the right one of them?",
    ),
    Mistake(
        "over_v_minus_2",
        "q shares eps among V - 2 tokens, all but the right one and padding",
        Edit(
            "share = eps / vocab_size",
            "share = eps / (vocab_size - 2) * (np.arange(vocab_size) != 0)",
        ),
        Edit("onehot + share", "onehot + share * (1 - onehot)"),
        ask="Does the formula leave out any token, be it the right one or padding?",
    ),
    Mistake(
        "sum_below_1",
        "the rows of q do not add up to 1: the right token has 1 - eps, the others eps / V",
        Edit("onehot + share", "onehot + share * (1 - onehot)"),
        ask="What must a row of q add up to? Print q.sum(-1).",
    ),
    Mistake(
        "sum_above_1",
        "the rows of q do not add up to 1: the right token has 1 and more",
        Edit("(1 - eps) * onehot", "onehot"),
        ask="What must a row of q add up to? Print q.sum(-1).",
    ),
    Mistake(
        "padding_counted",
        "padding rows count like real ones",
        Edit("losses[real].mean()", "losses.mean()"),
        Edit("np.where(real[..., None], p - q, 0) / n", "(p - q) / real.size"),
        ask="Change a score in a padding row. May the loss move?",
    ),
    Mistake(
        "padding_summed",
        "{part} is what comes out when padding rows are in the sum of the loss, though not in "
        "what it is divided by",
        Edit("losses[real].mean()", "losses.sum() / real.sum()"),
        Edit("np.where(real[..., None], p - q, 0) / n", "(p - q) / n"),
        ask=(
            "Change a score in a padding row. May the loss move, and so what is the gradient there?"
        ),
    ),
    Mistake(
        "divided_by_all",
        "{part} is what comes out when padding rows are left out of the sum of the loss, but "
        "counted in what it is divided by",
        Edit("losses[real].mean()", "losses[real].sum() / real.size"),
        Edit("n = int(real.sum())", "n = real.size"),
        ask="Append a column of padding to the batch. May the loss change?",
    ),
    Mistake(
        "mean_of_means",
        "{part} is what comes out when the loss is a mean over sentences of their means: a token "
        "of a short sentence counts for more",
        Edit("losses[real].mean()", "((losses * real).sum(1) / real.sum(1)).mean()"),
        Edit("n = int(real.sum())", "n = real.sum(1)[:, None, None] * len(real)"),
        ask=(
            "One sentence has 2 real tokens, the other 20. How much does a token of each weigh "
            "in your loss?"
        ),
    ),
    Mistake(
        "divided_by_sentences",
        "{part} is what comes out when the loss is divided by the number of sentences, not of "
        "tokens",
        Edit("losses[real].mean()", "losses[real].sum() / len(real)"),
        Edit("n = int(real.sum())", "n = len(real)"),
        ask=(
            "The same model, as many sentences, each twice as long. What becomes of {part} in "
            "your code?"
        ),
    ),
    Mistake(
        "not_divided",
        "{part} is what comes out when the loss is a sum over the real tokens, not their mean",
        Edit("losses[real].mean()", "losses[real].sum()"),
        Edit("n = int(real.sum())", "n = 1"),
        ask="Put every sentence into the batch twice. What should happen to the loss?",
    ),
    Mistake(
        "divided_twice",
        "dlogits is divided by the number of real tokens twice",
        Edit("n = int(real.sum())", "n = int(real.sum()) ** 2"),
        ask=(
            "How large is the sum of |p - q| over a batch, and how large should that of "
            "|dlogits| be, next to it?"
        ),
    ),
    Mistake(
        "stopped_at_p",
        "dlogits is the gradient of the probabilities: -q / p",
        Edit("p - q, 0)", "-q / p, 0)"),
        ask=(
            "The loss depends on p, and p on every logit of its row. How many of the two steps "
            "has the gradient gone?"
        ),
    ),
    Mistake(
        "1e-8_added",
        "loss is what comes out when no p is nearer to 0 than 1e-8 as its logarithm is taken",
        Edit(
            "shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))",
            "np.log(np.exp(shifted) / np.exp(shifted).sum(-1, keepdims=True) + 1e-8)",
        ),
        ask=(
            "A score lies 800 below another. What is its ln p by the formula, and what is it in "
            "your code?"
        ),
    ),
    Mistake(
        "1e-9_added",
        "loss is what comes out when no p is nearer to 0 than 1e-9 as its logarithm is taken",
        Edit(
            "shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))",
            "np.log(np.exp(shifted) / np.exp(shifted).sum(-1, keepdims=True) + 1e-9)",
        ),
        ask=(
            "A score lies 800 below another. What is its ln p by the formula, and what is it in "
            "your code?"
        ),
    ),
    Mistake(
        "1e-10_added",
        "loss is what comes out when no p is nearer to 0 than 1e-10 as its logarithm is taken",
        Edit(
            "shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))",
            "np.log(np.exp(shifted) / np.exp(shifted).sum(-1, keepdims=True) + 1e-10)",
        ),
        ask=(
            "A score lies 800 below another. What is its ln p by the formula, and what is it in "
            "your code?"
        ),
    ),
    Mistake(
        "1e-12_added",
        "loss is what comes out when no p is nearer to 0 than 1e-12 as its logarithm is taken",
        Edit(
            "shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))",
            "np.log(np.exp(shifted) / np.exp(shifted).sum(-1, keepdims=True) + 1e-12)",
        ),
        ask=(
            "A score lies 800 below another. What is its ln p by the formula, and what is it in "
            "your code?"
        ),
    ),
    Mistake(
        "1e-15_added",
        "loss is what comes out when no p is nearer to 0 than 1e-15 as its logarithm is taken",
        Edit(
            "shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))",
            "np.log(np.exp(shifted) / np.exp(shifted).sum(-1, keepdims=True) + 1e-15)",
        ),
        ask=(
            "A score lies 800 below another. What is its ln p by the formula, and what is it in "
            "your code?"
        ),
    ),
    Mistake(
        "id_0_is_padding",
        "the row of q is 0 wherever the target is 0",
        Edit(
            "return (1 - eps) * onehot + share",
            "return ((1 - eps) * onehot + share) * (targets > 0)[..., None]",
        ),
        ask="Which ids may a target have, and which of the functions gets to know what is padding?",
    ),
    Mistake(
        "nothing_taken_off",
        "{part} is not finite: a power is inf, or a p is 0 where its logarithm is taken",
        Edit("shifted = logits - logits.max(-1, keepdims=True)", "shifted = logits"),
        Edit("raised = np.exp(logits - logits.max(-1, keepdims=True))", "raised = np.exp(logits)"),
        ask=(
            "What is np.exp(800) in floats, what is np.exp(-800), and what do your next lines "
            "make of them?"
        ),
    ),
    Mistake(
        "v_minus_1_for_all",
        "the rows of q do not add up to 1: every token, the right one too, gets eps / (V - 1)",
        Edit("share = eps / vocab_size", "share = eps / (vocab_size - 1)"),
        ask=(
            "Among how many tokens is eps shared in the formula, and how many get a share in "
            "your lines?"
        ),
    ),
    Mistake(
        "one_maximum_for_all",
        "{part} is what comes out when the largest score of the whole batch is taken off every row",
        Edit("shifted = logits - logits.max(-1, keepdims=True)", "shifted = logits - logits.max()"),
        Edit("np.exp(logits - logits.max(-1, keepdims=True))", "np.exp(logits - logits.max())"),
        ask=(
            "One row has scores near 0, another near 800. What is the exponential of the first, "
            "less 800?"
        ),
    ),
    Mistake(
        "entropy_taken_off",
        "loss is what comes out when the entropy of q is taken off: it would be 0 where p = q",
        Edit("-(q * log_p).sum(-1)", "(q * (np.log(q) - log_p)).sum(-1)"),
        ask="Where does ln q occur in the formula of the loss?",
    ),
    Mistake(
        "right_token_alone",
        "{part} is what comes out when q counts as 1 for the right token and as 0 for all others",
        Edit("-(q * log_p).sum(-1)", "-np.where(q == q.max(-1, keepdims=True), log_p, 0).sum(-1)"),
        Edit("p - q, 0)", "p - (q == q.max(-1, keepdims=True)), 0)"),
        ask="Over how many tokens of a row does the sum in the formula run?",
    ),
    Mistake(
        "id_0_without_a_share",
        "token 0 gets none of what is spread over all tokens, as if it were padding",
        Edit(
            "share = eps / vocab_size",
            "share = eps / vocab_size * (np.arange(vocab_size) != 0)",
        ),
        ask="Over which of the tokens does the formula spread eps, and where does it say what id 0 is?",
    ),
]
