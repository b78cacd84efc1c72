"""What people write in place of the solution of add_norm, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "residual_forgotten",
        "y does not hold x: nothing is added to what the sub-layer computes",
        Edit("total = x + inner", "total = inner"),
        Edit("return x + inner", "return inner"),
        ask="If the sub-layer returns 0 everywhere, what of x should still be in the result?",
    ),
    Mistake(
        "residual_path_lost",
        "dx is what comes back through the sub-layer alone",
        Edit("return dtotal + dinner", "return dinner"),
        Edit("return dy + dx", "return dx"),
        ask="Which two ways lead from x to y?",
    ),
    Mistake(
        "norm_before_the_sum",
        "post-norm normalizes what the sub-layer computes, and then adds x",
        Edit("total = x + inner", "total = inner"),
        Edit(
            "return layer_norm(total, gain, bias)[0]", "return x + layer_norm(total, gain, bias)[0]"
        ),
        ask=(
            "With gain 1 and bias 0, what should the spread of the features of y be? Print "
            "y.std(-1)."
        ),
    ),
    Mistake(
        "norm_at_the_other_end",
        "the norm stands where the other of the two orders has it: in front of the sub-layer, or "
        "after the sum",
        Edit("inner = drop * sublayer(x)", "inner = drop * sublayer(layer_norm(x, gain, bias)[0])"),
        Edit("return layer_norm(total, gain, bias)[0]", "return total"),
        Edit("sublayer(normed)", "sublayer(x)"),
        Edit("return x + inner", "return layer_norm(x + inner, gain, bias)[0]"),
        ask="Post, pre: after what, and before what?",
    ),
    Mistake(
        "dropout_on_the_residual",
        "x itself is dropped where the sub-layer's result is",
        Edit("total = x + inner", "total = drop * x + inner"),
        Edit("return x + inner", "return drop * x + inner"),
        ask="In a stack of many layers, what would be left of the words after all these losses?",
    ),
    Mistake(
        "dropout_forgotten",
        "y does not depend on drop",
        Edit("inner = drop * sublayer(x)", "inner = sublayer(x)"),
        Edit("inner = drop * sublayer(normed)", "inner = sublayer(normed)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "dropout_forgotten_in_backward",
        "{part} is what comes out when the gradient goes back into the sub-layer also where its "
        "result was dropped",
        Edit("dresult = drop * dtotal", "dresult = dtotal"),
        Edit("dresult = drop * dy", "dresult = dy"),
        ask="A number of the sub-layer's result was dropped. Does the loss move with it?",
    ),
    Mistake(
        "dropout_after_the_sub_layer",
        "{part} is what comes out when the factors are applied after the gradient has passed the "
        "sub-layer",
        Edit("dresult = drop * dtotal", "dresult = dtotal"),
        Edit("dinner = sublayer_backward(dresult)", "dinner = drop * sublayer_backward(dresult)"),
        Edit("dresult = drop * dy", "dresult = dy"),
        Edit("dnormed = sublayer_backward(dresult)", "dnormed = drop * sublayer_backward(dresult)"),
        ask="Forward runs the sub-layer, then dropout. In which order does backward meet them?",
    ),
    Mistake(
        "normed_residual",
        "pre-norm adds the normalized x, not x",
        Edit("return x + inner", "return normed + inner"),
        ask="If the sub-layer returns 0 everywhere, what should pre-norm return?",
    ),
    Mistake(
        "residual_past_the_norm",
        "in post-norm, the residual's path brings back dy as it came",
        Edit("return dtotal + dinner", "return dy + dinner"),
        ask=(
            "x is added, and the sum is normalized. What does the gradient meet first on its way "
            "back?"
        ),
    ),
    Mistake(
        "sub_layer_past_the_norm",
        "in post-norm, the sub-layer is given dy as it came",
        Edit("dresult = drop * dtotal", "dresult = drop * (dy)"),
        ask="What is the last step of post-norm's forward, and so the first of its backward?",
    ),
    Mistake(
        "residual_through_the_norm",
        "{part} is what comes out when the residual's path goes back through the norm",
        Edit("layer_norm_backward(dnormed, ", "layer_norm_backward(dy + dnormed, "),
        Edit("return dy + dx", "return dx"),
        ask="In pre-norm, did the x that is added pass through the norm?",
    ),
    Mistake(
        "norm_skipped",
        "in pre-norm, the gradient that comes out of the sub-layer is added without passing the "
        "norm",
        Edit("return dy + dx", "return dy + dnormed"),
        ask="What lies between x and the sub-layer?",
    ),
    Mistake(
        "dropout_in_front",
        "the sub-layer is given what was dropped out, and its own result is added whole",
        Edit("inner = drop * sublayer(x)", "inner = sublayer(drop * x)"),
        Edit("inner = drop * sublayer(normed)", "inner = sublayer(drop * normed)"),
        ask=(
            "Which array do the factors m multiply in the formula: what goes into f, or what "
            "comes out?"
        ),
    ),
    Mistake(
        "dropout_at_the_end",
        "the finished result is dropped out, after the norm",
        Edit("inner = drop * sublayer(x)", "inner = sublayer(x)"),
        Edit(
            "return layer_norm(total, gain, bias)[0]",
            "return drop * layer_norm(total, gain, bias)[0]",
        ),
        ask="What should y be where drop is 0, and what is yours?",
    ),
    Mistake(
        "sub_layer_normed",
        "{part} is what comes out when x goes into the sub-layer as it came, and its result is "
        "normalized",
        Edit(
            "inner = drop * sublayer(normed)",
            "inner = drop * layer_norm(sublayer(x), gain, bias)[0]",
        ),
        ask="What does the formula hand to f?",
    ),
    Mistake(
        "norm_at_both_ends",
        "there are two norms: one in front of the sub-layer, and one after the sum",
        Edit("inner = drop * sublayer(x)", "inner = drop * sublayer(layer_norm(x, gain, bias)[0])"),
        Edit("return x + inner", "return layer_norm(x + inner, gain, bias)[0]"),
        ask="How often does LayerNorm stand in the formula?",
    ),
    Mistake(
        "norm_forgotten",
        "nothing is normalized",
        Edit("return layer_norm(total, gain, bias)[0]", "return total"),
        Edit("sublayer(normed)", "sublayer(x)"),
        ask="Multiply the gain by 1000. What should that do to y, and what does it do to yours?",
    ),
    Mistake(
        "gain_and_bias_forgotten",
        "y does not depend on gain and bias, although something is normalized",
        Edit("return layer_norm(total, gain, bias)[0]", "return layer_norm(total, gain, bias)[1]"),
        Edit("normed = layer_norm(x, gain, bias)[0]", "normed = layer_norm(x, gain, bias)[1]"),
        ask="layer_norm returns three arrays. In which of them are gain and bias?",
    ),
    Mistake(
        "gain_and_bias_exchanged",
        "y is what comes out when the norm multiplies by the bias and adds the gain",
        Edit("return layer_norm(total, gain, bias)[0]", "return layer_norm(total, bias, gain)[0]"),
        Edit("normed = layer_norm(x, gain, bias)[0]", "normed = layer_norm(x, bias, gain)[0]"),
        ask="In which order does layer_norm take its arguments?",
    ),
    Mistake(
        "dropout_on_the_residual_in_backward",
        "{part} is what comes out when the gradient of the residual's path is multiplied by drop "
        "as well",
        Edit("return dtotal + dinner", "return drop * dtotal + dinner"),
        Edit("return dy + dx", "return drop * dy + dx"),
        ask="x was added as it is. Which factor does it have in the sum, and so its gradient?",
    ),
    Mistake(
        "dropout_without_its_factor",
        "{part} is what comes out when drop counts as 0 or 1: what is kept has no factor",
        Edit("inner = drop * sublayer(x)", "inner = (drop > 0) * sublayer(x)"),
        Edit("inner = drop * sublayer(normed)", "inner = (drop > 0) * sublayer(normed)"),
        Edit("dresult = drop * dtotal", "dresult = (drop > 0) * dtotal"),
        Edit("dresult = drop * dy", "dresult = (drop > 0) * dy"),
        ask="What does the text say of the factors of numbers that are not dropped: are they 1?",
    ),
    Mistake(
        "in_the_order_of_forward",
        "{part} is what comes out when the gradient meets the norm and the sub-layer in the same "
        "order as x did",
        Edit(
            "    dtotal, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)\n"
            "    dresult = drop * dtotal\n"
            "    dinner = sublayer_backward(dresult)\n    return dtotal + dinner",
            "    dtotal = dy + sublayer_backward(drop * (dy))\n"
            "    dx, dgain, dbias = layer_norm_backward(dtotal, xhat, rstd, gain)\n    return dx",
        ),
        Edit(
            "    dresult = drop * dy\n"
            "    dnormed = sublayer_backward(dresult)\n"
            "    dx, dgain, dbias = layer_norm_backward(dnormed, xhat, rstd, gain)",
            "    dnormed, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)\n"
            "    dx = sublayer_backward(drop * dnormed)",
        ),
        ask="Which is the last step of forward, and so the first of backward?",
    ),
    Mistake(
        "residual_is_the_sub_layers",
        "in pre-norm, the gradient that came out of the sub-layer is added where dy should be",
        Edit("return dy + dx", "return dnormed + dx"),
        ask="If the sub-layer returns 0 everywhere, what should dx be?",
    ),
    Mistake(
        "norm_forgotten_in_backward",
        "in post-norm, nothing of dx has gone back through the norm",
        Edit("dresult = drop * dtotal", "dresult = drop * (dy)"),
        Edit("return dtotal + dinner", "return dy + dinner"),
        ask="What is the last step of post-norm's forward, and so the first of its backward?",
    ),
    Mistake(
        "x_normed_alone",
        "post-norm adds the sub-layer's result to the normalized x",
        Edit(
            "return layer_norm(total, gain, bias)[0]",
            "return layer_norm(x, gain, bias)[0] + total - x",
        ),
        ask=(
            "With gain 1 and bias 0, what should the spread of the features of y be? Print "
            "y.std(-1)."
        ),
    ),
    Mistake(
        "sub_layer_skipped",
        "{part} is what comes out when the gradient passes the sub-layer as if it were not there",
        Edit("dinner = sublayer_backward(dresult)", "dinner = dresult"),
        Edit("dnormed = sublayer_backward(dresult)", "dnormed = dresult"),
        ask="Which of the arguments have you not called?",
    ),
]
