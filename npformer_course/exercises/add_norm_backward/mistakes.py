"""What people write in place of the solution of add_norm_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "residual_path_lost",
        "dx is what comes back through the sub-layer alone",
        Edit("return dtotal + dinner", "return dinner"),
        Edit("return dy + dx", "return dx"),
        ask="Which two ways lead from x to y?",
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
        "sub_layer_skipped",
        "{part} is what comes out when the gradient passes the sub-layer as if it were not there",
        Edit("dinner = sublayer_backward(dresult)", "dinner = dresult"),
        Edit("dnormed = sublayer_backward(dresult)", "dnormed = dresult"),
        ask="Which of the arguments have you not called?",
    ),
]
