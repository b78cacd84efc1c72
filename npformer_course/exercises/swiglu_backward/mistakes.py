"""What people write in place of the solution of swiglu_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

SLOPE = "slope = s + before * s * (1 - s)"
DVALUE = "dvalue = dproduct * gate"
DBEFORE = "dbefore = dproduct * value * slope"
DX = "dx = dvalue @ w1.T + dbefore @ w_gate.T"
RETURNED = "return dx, dw_gate, dw1, dw2  #"
DW2 = 'np.einsum("btf,btd->fd", gate * value, dy)'

PRODUCT_RULE = "SiLU is a product of two factors that both depend on b. What does the product rule "
PRODUCT_RULE += "say, and how many terms has your slope?"
MEASURE = "Measure the slope of SiLU at 0 and at 5, as the loops do. What does your formula say?"
RESHAPED = "Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?"

MISTAKES = [
    Mistake(
        "slope_is_the_sigmoid",
        "{part} is what comes out when the sigmoid is taken for the slope of SiLU",
        Edit(SLOPE, "slope = s"),
        ask=PRODUCT_RULE,
    ),
    Mistake(
        "second_term_alone",
        "{part} is what comes out when the slope of SiLU is b times the slope of the sigmoid",
        Edit(SLOPE, "slope = before * s * (1 - s)"),
        ask=PRODUCT_RULE,
    ),
    Mistake(
        "slope_of_the_sigmoid",
        "{part} is what comes out when SiLU has the slope of the sigmoid",
        Edit(SLOPE, "slope = s * (1 - s)"),
        ask=MEASURE,
    ),
    Mistake(
        "b_forgotten",
        "{part} is what comes out when the second term of SiLU's slope lacks the factor b",
        Edit(SLOPE, "slope = s + s * (1 - s)"),
        ask=MEASURE,
    ),
    Mistake(
        "sign_of_the_second_term",
        "{part} is what comes out when the second term of SiLU's slope is subtracted",
        Edit(SLOPE, "slope = s - before * s * (1 - s)"),
        ask=MEASURE,
    ),
    Mistake(
        "slope_of_relu",
        "{part} is what comes out when SiLU has the slope of ReLU: 1 above 0, and 0 below",
        Edit(SLOPE, "slope = 1.0 * (before > 0)"),
        ask=MEASURE,
    ),
    Mistake(
        "slope_of_1",
        "{part} is what comes out when the gradient passes SiLU as it is",
        Edit(SLOPE, "slope = 1"),
        ask="Which steps lie between x and the gate in forward?",
    ),
    Mistake(
        "silu_for_its_slope",
        "{part} is what comes out when SiLU itself is taken for its slope",
        Edit(SLOPE, "slope = gate"),
        ask=MEASURE,
    ),
    Mistake(
        "slope_at_the_gate",
        "{part} is what comes out when the slope of SiLU is taken at what came out of it",
        Edit(SLOPE, "s = sigmoid(gate)\n    slope = s + gate * s * (1 - s)"),
        ask="What went into SiLU, and what came out? At which of the two is its slope taken?",
    ),
    Mistake(
        "slope_at_the_value",
        "{part} is what comes out when the slope of SiLU is taken at the value",
        Edit(SLOPE, "s = sigmoid(value)\n    slope = s + value * s * (1 - s)"),
        ask="Which of the two products with x goes through SiLU?",
    ),
    Mistake(
        "own_factor",
        "{part} is what comes out when each factor of the product gets the gradient times itself",
        Edit(DVALUE, "dvalue = dproduct * value"),
        Edit(DBEFORE, "dbefore = dproduct * gate * slope"),
        ask="y = a b. If a moves by h, by how much does y move?",
    ),
    Mistake(
        "value_gets_all",
        "{part} is what comes out when the gradient passes to the value as if the gate were 1",
        Edit(DVALUE, "dvalue = dproduct"),
        ask="A gate is nearly 0. How far does y move when the value moves?",
    ),
    Mistake(
        "gate_gets_all",
        "{part} is what comes out when the gradient passes to the gate as if the value were 1",
        Edit(DBEFORE, "dbefore = dproduct * slope"),
        ask="A value is nearly 0. How far does y move when the gate moves?",
    ),
    Mistake(
        "gate_before_silu",
        "{part} is what comes out when the gate is taken before SiLU",
        Edit("gate = silu(before)", "gate = before"),
        ask="What exactly did forward multiply the value with?",
    ),
    Mistake(
        "gate_as_a_sigmoid",
        "{part} is what comes out when the gate is the sigmoid, not SiLU",
        Edit("gate = silu(before)", "gate = sigmoid(before)"),
        ask="What exactly did forward multiply the value with?",
    ),
    Mistake(
        "through_the_value_alone",
        "dx is what comes through the value, and nothing that comes through the gate",
        Edit(DX, "dx = dvalue @ w1.T"),
        ask="How often does x occur in forward?",
    ),
    Mistake(
        "through_the_gate_alone",
        "dx is what comes through the gate, and nothing that comes through the value",
        Edit(DX, "dx = dbefore @ w_gate.T"),
        ask="How often does x occur in forward?",
    ),
    Mistake(
        "matrices_exchanged",
        "dx is what comes out when each gradient goes back through the matrix of the other one",
        Edit(DX, "dx = dvalue @ w_gate.T + dbefore @ w1.T"),
        ask="Which matrix made the value, and which one the gate?",
    ),
    Mistake(
        "mean_of_both",
        "dx is half of what it should be: the mean of what comes through gate and value",
        Edit(DX, "dx = (dvalue @ w1.T + dbefore @ w_gate.T) / 2"),
        ask="A feature of x moves. Do the changes of y by the gate and by the value add up?",
    ),
    Mistake(
        "gradients_multiplied",
        "dx is the product of what comes through gate and value",
        Edit(DX, "dx = (dvalue @ w1.T) * (dbefore @ w_gate.T)"),
        ask="A feature of x moves. Do the changes of y by the gate and by the value add up?",
    ),
    Mistake(
        "gradients_of_matrices_exchanged",
        "dw_gate and dw1 are in each other's place",
        Edit(RETURNED, "return dx, dw1, dw_gate, dw2  #"),
        ask="In which order does the docstring want the results?",
    ),
    Mistake(
        "gate_missing_in_dw2",
        "dw2 is what comes out when the values go into w2 without their gates",
        Edit(DW2, 'np.einsum("btf,btd->fd", value, dy)'),
        ask="What exactly did forward multiply by w2?",
    ),
    Mistake(
        "value_missing_in_dw2",
        "dw2 is what comes out when the gates go into w2 without the values",
        Edit(DW2, 'np.einsum("btf,btd->fd", gate, dy)'),
        ask="What exactly did forward multiply by w2?",
    ),
    Mistake(
        "averaged",
        "the gradients of the matrices are means over the positions",
        Edit(
            RETURNED,
            "n = x.shape[0] * x.shape[1]\n    return dx, dw_gate / n, dw1 / n, dw2 / n  #",
        ),
        ask="One matrix serves every position. Do the changes of the loss at two positions add up?",
    ),
    Mistake(
        "last_sentence",
        "the gradients of the matrices hold what the last sentence contributes, and nothing of "
        "the others",
        Edit(
            RETURNED,
            "return dx, x[-1].T @ dbefore[-1], x[-1].T @ dvalue[-1], "
            "(gate * value)[-1].T @ dy[-1]  #",
        ),
        ask="When your code comes to the second sentence, what happens to the result of the first?",
    ),
    Mistake(
        "w2_reshaped",
        "{part} is what comes out when w2 is reshaped to (D, F): its numbers stay in their order",
        Edit("dproduct = dy @ w2.T", "dproduct = dy @ w2.reshape(w2.shape[::-1])"),
        ask=RESHAPED,
    ),
    Mistake(
        "w1_and_w_gate_reshaped",
        "dx is what comes out when w1 and w_gate are reshaped to (F, D): their numbers stay in "
        "their order",
        Edit(
            DX,
            "shape = w1.shape[::-1]\n"
            "    dx = dvalue @ w1.reshape(shape) + dbefore @ w_gate.reshape(shape)",
        ),
        ask=RESHAPED,
    ),
]
