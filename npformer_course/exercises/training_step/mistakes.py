"""What people write in place of the solution of training_step, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "not_cleared",
        "{part}: these numbers come out when from the second update on the gradients of earlier "
        "batches are in the update as well",
        Edit("    model.zero_grad()\n", ""),
        ask="What does grad hold when the second batch comes, and what does backward do with it?",
    ),
    Mistake(
        "never_moves",
        "{part}: these numbers come out when the parameters stay as they were",
        Edit("    model.zero_grad()\n", ""),
        Edit(
            "    model.backward(dlogits)\n", "    model.backward(dlogits)\n    model.zero_grad()\n"
        ),
        ask=(
            "Which of your lines move the parameters, and what do the gradients hold when they "
            "come?"
        ),
    ),
    Mistake(
        "not_shifted",
        "{part}: these numbers come out when the model is to repeat the token that it has just "
        "read",
        Edit("cross_entropy(logits, ids[:, 1:])", "cross_entropy(logits, ids[:, :-1])"),
        ask=(
            "The model reads <bos> at position 0. Which token should have the highest score "
            "there, and which one does your target name?"
        ),
    ),
    Mistake(
        "shifted_backwards",
        "{part}: these numbers come out when the model is to guess the token before the one that "
        "it has read",
        Edit("model.forward(ids[:, :-1])", "model.forward(ids[:, 1:])"),
        Edit("cross_entropy(logits, ids[:, 1:])", "cross_entropy(logits, ids[:, :-1])"),
        ask="Which of the two, input or target, begins with <bos>?",
    ),
    Mistake(
        "clipped_one_by_one",
        "{part}: these numbers come out when each parameter's gradient is shortened by a factor of"
        " its own: the update changes its direction",
        Edit(
            "    norm = math.sqrt(sum((p.grad**2).sum() for p in model.parameters()))\n"
            "    if norm > max_norm:\n"
            "        for p in model.parameters():\n            p.grad *=",
            "    for p in model.parameters():\n        norm = math.sqrt((p.grad**2).sum())\n"
            "        if norm > max_norm:\n            p.grad *=",
        ),
        ask=(
            "Two parameters have gradients of length 3 and 4. How long is the gradient of the "
            "whole model?"
        ),
    ),
    Mistake(
        "not_clipped",
        "{part}: these numbers come out when the updates use the gradient in its full length, "
        "whatever the limit",
        Edit("p.grad *= max_norm / norm", "pass"),
        ask="When the optimizer looks at grad, has it been clipped?",
    ),
    Mistake(
        "always_scaled",
        "{part}: these numbers come out when the gradient always gets the length of the limit, "
        "also when it was shorter",
        Edit("if norm > max_norm:", "if norm > 0:"),
        ask="A gradient of length 0.1 and a limit of 5: what should clipping do?",
    ),
    Mistake(
        "squared_length",
        "{part}: these numbers come out when the gradient is measured by the sum of its squares",
        Edit(
            "math.sqrt(sum((p.grad**2).sum() for p in model.parameters()))",
            "sum((p.grad**2).sum() for p in model.parameters())",
        ),
        ask="A gradient (3, 4): what is its length?",
    ),
    Mistake(
        "sum_of_lengths",
        "{part}: these numbers come out when the lengths of the parameters' gradients are added up",
        Edit(
            "math.sqrt(sum((p.grad**2).sum() for p in model.parameters()))",
            "sum(math.sqrt((p.grad**2).sum()) for p in model.parameters())",
        ),
        ask=(
            "Two parameters have gradients of length 3 and 4. How long is the gradient of the "
            "whole model?"
        ),
    ),
    Mistake(
        "cut_by_value",
        "{part}: these numbers come out when every number of the gradient is cut off at the limit "
        "by itself",
        Edit("p.grad *= max_norm / norm", "p.grad = np.clip(p.grad, -max_norm, max_norm)"),
        ask=(
            "Does the gradient (10, 1), with a limit of 1, still point the same way after your "
            "clipping?"
        ),
    ),
    Mistake(
        "loss_after",
        "the loss is that of the updated model",
        Edit(
            "    return loss\n",
            "    return cross_entropy(model.forward(ids[:, :-1]), ids[:, 1:])[0]\n",
        ),
        ask=(
            "Which parameters does the loss that you return belong to: those before the update, "
            "or those after it?"
        ),
    ),
    Mistake(
        "a_step_a_parameter",
        "{part}: these numbers come out when the optimizer makes an update for each parameter of "
        "the model, three for a batch",
        Edit(
            "    optimizer.step(lr)\n",
            "    for p in model.parameters():\n        optimizer.step(lr)\n",
        ),
        ask="What does optimizer.t say after one batch?",
    ),
    Mistake(
        "whole_sentences",
        "{part}: these numbers come out when the model reads whole sentences, and is to repeat "
        "each token of them",
        Edit("model.forward(ids[:, :-1])", "model.forward(ids)"),
        Edit("cross_entropy(logits, ids[:, 1:])", "cross_entropy(logits, ids)"),
        ask=(
            "The model reads <bos> at position 0. Which token should have the highest score "
            "there, and which one does your target name?"
        ),
    ),
    Mistake(
        "bos_comes_last",
        "{part}: these numbers come out when the model reads whole sentences, and the last target "
        "of each is its <bos>",
        Edit("model.forward(ids[:, :-1])", "model.forward(ids)"),
        Edit("cross_entropy(logits, ids[:, 1:])", "cross_entropy(logits, np.roll(ids, -1, 1))"),
        ask="Print the targets of a sentence without padding. What is to follow its <eos>?",
    ),
    Mistake(
        "backward_twice",
        "{part}: these numbers come out when each batch's gradient is added twice before the "
        "update",
        Edit(
            "    model.backward(dlogits)\n",
            "    model.backward(dlogits)\n    model.backward(dlogits)\n",
        ),
        ask=(
            "How often does backward run for a batch, and what does it do with what grad holds "
            "already?"
        ),
    ),
    Mistake(
        "length_of_the_longest",
        "{part}: these numbers come out when the length of the longest of the parameters' "
        "gradients is taken for that of all",
        Edit("math.sqrt(sum((p.grad**2).sum() for p", "math.sqrt(max((p.grad**2).sum() for p"),
        ask=(
            "Two parameters have gradients of length 3 and 4. How long is the gradient of the "
            "whole model?"
        ),
    ),
    Mistake(
        "length_of_means",
        "{part}: these numbers come out when the squares of each parameter are averaged, and not "
        "summed",
        Edit("(p.grad**2).sum() for p", "(p.grad**2).mean() for p"),
        ask="A gradient (3, 4): what is its length?",
    ),
    Mistake(
        "length_1",
        "{part}: these numbers come out when a gradient that is too long gets the length 1, "
        "whatever the limit",
        Edit("max_norm / norm", "1 / norm"),
        ask="The limit is 5, and a gradient has the length 10. How long should it be afterwards?",
    ),
    Mistake(
        "rate_shortened",
        "{part}: these numbers come out when the learning rate is multiplied by the factor, and "
        "the gradient stays long",
        Edit("p.grad *= max_norm / norm", "pass"),
        Edit("optimizer.step(lr)", "optimizer.step(lr * min(1, max_norm / norm))"),
        ask=(
            "Adam divides by the gradient's own size. Does a longer gradient make its step "
            "longer, does a higher rate?"
        ),
    ),
    Mistake(
        "loss_of_a_batch",
        "the loss is a sum over the targets, not their mean",
        Edit("    return loss\n", "    return loss * (ids[:, 1:] != PAD).sum()\n"),
        ask="Put every sentence into the batch twice. What should happen to the loss?",
    ),
]
