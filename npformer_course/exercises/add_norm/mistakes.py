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
        "normed_residual",
        "pre-norm adds the normalized x, not x",
        Edit("return x + inner", "return normed + inner"),
        ask="If the sub-layer returns 0 everywhere, what should pre-norm return?",
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
        "dropout_without_its_factor",
        "{part} is what comes out when drop counts as 0 or 1: what is kept has no factor",
        Edit("inner = drop * sublayer(x)", "inner = (drop > 0) * sublayer(x)"),
        Edit("inner = drop * sublayer(normed)", "inner = (drop > 0) * sublayer(normed)"),
        ask="What does the text say of the factors of numbers that are not dropped: are they 1?",
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
]
