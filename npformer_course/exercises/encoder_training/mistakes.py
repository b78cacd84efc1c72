"""What people write in place of the solution of encoder_training, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "first_residual_lost",
        "{part}: these numbers come out when attention is normalized without x being added to it",
        Edit("norm_1.forward(x + layer.attention", "norm_1.forward(layer.attention"),
        ask="If attention returns 0 everywhere, what should reach the feed-forward network?",
    ),
    Mistake(
        "second_residual_lost",
        "{part}: these numbers come out when the feed-forward network's result is normalized "
        "without z being added to it",
        Edit("norm_2.forward(z + layer.feed_forward", "norm_2.forward(layer.feed_forward"),
        ask="How many arrows go into the upper Add & Norm of figure 1?",
    ),
    Mistake(
        "x_in_the_second_residual",
        "{part}: these numbers come out when the second residual connection begins at x, not at z",
        Edit("norm_2.forward(z + layer.feed_forward", "norm_2.forward(x + layer.feed_forward"),
        ask="Where in figure 1 does the arrow begin that goes around the feed-forward network?",
    ),
    Mistake(
        "pre_norm",
        "{part}: these numbers come out in pre-norm, where each norm is in front of its sub-layer",
        Edit(
            "z = layer.norm_1.forward(x + layer.attention.forward(x, mask))",
            "z = x + layer.attention.forward(layer.norm_1.forward(x), mask)",
        ),
        Edit(
            "return layer.norm_2.forward(z + layer.feed_forward.forward(z))",
            "return z + layer.feed_forward.forward(layer.norm_2.forward(z))",
        ),
        ask="'Add & Norm': in which order?",
    ),
    Mistake(
        "pre_norm_of_attention",
        "{part}: these numbers come out when norm_1 is before attention, and the sum is not "
        "normalized",
        Edit(
            "layer.norm_1.forward(x + layer.attention.forward(x, mask))",
            "x + layer.attention.forward(layer.norm_1.forward(x), mask)",
        ),
        ask="To what does the equation of z apply norm_1?",
    ),
    Mistake(
        "attention_backward_twice",
        "{part}: these numbers come out when the backward of attention runs twice",
        Edit(
            "return dr + layer.attention",
            "layer.attention.backward(dr)\n    return dr + layer.attention",
        ),
        ask=(
            "How often does the backward of each part run, and what does it do to the gradients "
            "of its matrices?"
        ),
    ),
    Mistake(
        "first_norm_missing_in_backward",
        "{part}: these numbers come out when dz continues as it is, and gain and bias of norm_1 "
        "get no gradient",
        Edit("dr = layer.norm_1.backward(dz)", "dr = dz"),
        ask="Which backwards have run, in which order?",
    ),
    Mistake(
        "norms_exchanged",
        "{part}: these numbers come out when the second norm normalizes the first sum, and the "
        "first norm the second sum",
        Edit("z = layer.norm_1.forward(x", "z = layer.norm_2.forward(x"),
        Edit("return layer.norm_2.forward", "return layer.norm_1.forward"),
        Edit("ds = layer.norm_2.backward(dy)", "ds = layer.norm_1.backward(dy)"),
        Edit("dr = layer.norm_1.backward(dz)", "dr = layer.norm_2.backward(dz)"),
        ask="Which norm belongs to which sub-layer?",
    ),
    Mistake(
        "mask_unused",
        "y is what comes out when attention looks at padding too",
        Edit("layer.attention.forward(x, mask)", "layer.attention.forward(x, mask | True)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "second_residual_lost_in_backward",
        "{part}: these numbers come out when dz is only what comes back through the feed-forward "
        "network",
        Edit("dz = ds + layer.feed_forward", "dz = layer.feed_forward"),
        ask="Which two ways lead from z to y?",
    ),
    Mistake(
        "first_residual_lost_in_backward",
        "{part}: these numbers come out when dx is only what comes back through attention",
        Edit("return dr + layer.attention", "return layer.attention"),
        ask="Which two ways lead from x to z?",
    ),
    Mistake(
        "residual_past_the_second_norm",
        "{part}: these numbers come out when dy itself, not the gradient of the sum, goes past the"
        " feed-forward network",
        Edit("dz = ds + layer.feed_forward", "dz = dy + layer.feed_forward"),
        ask="Of y and of the sum s: whose gradient does the residual connection pass on?",
    ),
    Mistake(
        "not_cleared",
        "the losses are what comes out when each step also follows the gradients of all earlier "
        "batches",
        Edit("        model.zero_grad()\n", ""),
        ask="What does grad hold when the second batch comes, and what does backward do with it?",
    ),
    Mistake(
        "never_moves",
        "the losses are what comes out when no parameter ever moves",
        Edit("        optimizer.step()\n", ""),
        ask="Which line moves the parameters, and what does grad hold when it runs?",
    ),
    Mistake(
        "loss_after_the_step",
        "the losses are those after the step of each batch, not before",
        Edit(
            "losses.append(loss)",
            "losses.append(cross_entropy(model.forward(ids), ids[:, ::-1])[0])",
        ),
        ask="Which loss do the gradients of a step belong to?",
    ),
    Mistake(
        "not_reversed",
        "the losses are what comes out when the model is to repeat each sentence as it is",
        Edit("cross_entropy(logits, ids[:, ::-1])", "cross_entropy(logits, ids)"),
        ask="The sentence is 3 1 2. What is the target at position 0?",
    ),
    Mistake(
        "sentences_reversed",
        "the losses are what comes out when the sentences of a batch change places, and not the "
        "tokens in them",
        Edit("cross_entropy(logits, ids[:, ::-1])", "cross_entropy(logits, ids[::-1])"),
        ask="Which axis of ids (B, T) is the one within a sentence?",
    ),
    Mistake(
        "feed_forward_past_the_second_norm",
        "{part}: these numbers come out when the feed-forward network is given dy itself, not the "
        "gradient of the sum",
        Edit("layer.feed_forward.backward(ds)", "layer.feed_forward.backward(dy)"),
        ask="What is the last thing that forward does, and so what does the gradient meet first?",
    ),
    Mistake(
        "backward_from_the_first_norm",
        "{part}: these numbers come out when backward goes through the first norm and attention "
        "before the second norm",
        Edit("ds = layer.norm_2.backward(dy)", "ds = layer.norm_1.backward(dy)"),
        Edit("layer.feed_forward.backward(ds)", "layer.attention.backward(ds)"),
        Edit("dr = layer.norm_1.backward(dz)", "dr = layer.norm_2.backward(dz)"),
        Edit("layer.attention.backward(dr)", "layer.feed_forward.backward(dr)"),
        ask="Which of the two norms made y, whose gradient dy is?",
    ),
    Mistake(
        "mask_upside_down",
        "{part}: these numbers come out when attention looks at padding, and at nothing else",
        Edit("layer.attention.forward(x, mask)", "layer.attention.forward(x, ~mask)"),
        ask="What does True stand for in the mask of this exercise?",
    ),
    Mistake(
        "feed_forward_of_x",
        "{part}: these numbers come out when the feed-forward network reads x, and not z",
        Edit("(z + layer.feed_forward.forward(z))", "(z + layer.feed_forward.forward(x))"),
        ask=(
            "Which arrow of figure 1 goes into the feed-forward network, and where does it come "
            "from?"
        ),
    ),
    Mistake(
        "second_norm_missing",
        "{part}: these numbers come out when the second sum is returned without its norm",
        Edit("return layer.norm_2.forward(z", "layer.norm_2.forward(z * 0)\n    return (z"),
        ask="How many Add & Norm are in an encoder layer of figure 1, and how many in yours?",
    ),
    Mistake(
        "x_added_after_the_norms",
        "{part}: these numbers come out when each sub-layer's result is normalized first, and the "
        "residual added afterwards",
        Edit(
            "norm_1.forward(x + layer.attention.forward(x, mask))",
            "norm_1.forward(layer.attention.forward(x, mask)) + x",
        ),
        Edit(
            "norm_2.forward(z + layer.feed_forward.forward(z))",
            "norm_2.forward(layer.feed_forward.forward(z)) + z",
        ),
        ask="'Add & Norm': in which order?",
    ),
    Mistake(
        "dz_past_the_first_norm",
        "{part}: these numbers come out when dz itself, not the gradient of the first sum, goes "
        "past attention",
        Edit("return dr + layer.attention", "return dz + layer.attention"),
        ask="Of z and of the sum r: whose gradient does the residual connection pass on?",
    ),
    Mistake(
        "attention_past_the_first_norm",
        "{part}: these numbers come out when attention is given dz itself, not the gradient of the"
        " first sum",
        Edit("layer.attention.backward(dr)", "layer.attention.backward(dz)"),
        ask=(
            "What comes right after attention in forward, and so what does the gradient meet "
            "right before it?"
        ),
    ),
    Mistake(
        "sentences_and_tokens_reversed",
        "the losses are what comes out when the tokens and the sentences of a batch are both "
        "reversed",
        Edit("cross_entropy(logits, ids[:, ::-1])", "cross_entropy(logits, ids[::-1, ::-1])"),
        ask=(
            "Which axis of ids (B, T) is the one within a sentence? Print a batch and your targets."
        ),
    ),
    Mistake(
        "sub_layers_exchanged",
        "{part}: these numbers come out when the feed-forward network comes before attention",
        Edit(
            "norm_1.forward(x + layer.attention.forward(x, mask))",
            "norm_1.forward(x + layer.feed_forward.forward(x))",
        ),
        Edit("(z + layer.feed_forward.forward(z))", "(z + layer.attention.forward(z, mask))"),
        ask="Which sub-layer of an encoder layer is at the bottom of figure 1?",
    ),
    Mistake(
        "second_norm_missing_in_backward",
        "{part}: these numbers come out when dy has not gone through the second norm",
        Edit("ds = layer.norm_2.backward(dy)", "ds = dy"),
        ask="What is the last thing that forward does, and so what does the gradient meet first?",
    ),
    Mistake(
        "remembered_array_changed",
        "{part}: these numbers come out when the array that the feed-forward network remembers is "
        "changed after its forward",
        Edit(
            "return layer.norm_2.forward(z + layer.feed_forward.forward(z))",
            "z += layer.feed_forward.forward(z)\n    return layer.norm_2.forward(z)",
        ),
        ask=(
            "Each part remembers in forward what its backward needs. Which of your lines changes "
            "an array in place, and which part has been given it?"
        ),
    ),
]
