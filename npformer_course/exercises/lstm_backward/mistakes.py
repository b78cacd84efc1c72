"""What people write in place of the solution of lstm_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

AT_CELL = "dcell = dc + dh * o * (1 - t * t)"
TWICE = "Which two things does a step make of its new cell?"
SLOPES = "What lies between a sum z and its gate, and what is its slope?"

MISTAKES = [
    Mistake(
        "next_step_forgotten",
        "{part} does not depend on dc",
        Edit(AT_CELL, "dcell = dh * o * (1 - t * t)"),
        ask=TWICE,
    ),
    Mistake(
        "output_forgotten",
        "the gradient at the cell is dc alone: nothing reaches it from the output",
        Edit(AT_CELL, "dcell = 1 * dc"),
        ask=TWICE,
    ),
    Mistake(
        "slope_of_tanh_missing",
        "what reaches the cell from the output is not multiplied by the slope of tanh",
        Edit(AT_CELL, "dcell = dc + dh * o"),
        ask="A cell of 5 moves by a little. How far does tanh of it move?",
    ),
    Mistake(
        "slope_of_tanh_of_the_cell",
        "the slope of tanh is taken as 1 - c * c, of the cell before tanh",
        Edit(AT_CELL, "dcell = dc + dh * o * (1 - c * c)"),
        ask="In 1 - tanh^2, whose square is taken: that of the input or that of the result?",
    ),
    Mistake(
        "slope_of_tanh_not_squared",
        "the slope of tanh is taken as 1 - tanh, without a square",
        Edit(AT_CELL, "dcell = dc + dh * o * (1 - t)"),
        ask="What is the slope of tanh at a cell of -3, by your formula?",
    ),
    Mistake(
        "output_gate_missing",
        "what reaches the cell from the output does not depend on o",
        Edit(AT_CELL, "dcell = dc + dh * (1 - t * t)"),
        ask="o is 0, so that the cell is not shown. How much of dh can reach it?",
    ),
    Mistake(
        "forget_gate_missing",
        "dc_old is the whole gradient at the new cell, whatever f is",
        Edit("dz @ u.T, dcell * f", "dz @ u.T, dcell"),
        ask="f is 0. By how much does the old cell move the new one?",
    ),
    Mistake(
        "only_dc_goes_back",
        "dc_old is f times dc: what came from the output goes no further back",
        Edit("dz @ u.T, dcell * f", "dz @ u.T, dc * f"),
        ask="The old cell moves the new cell. Does it move the output too?",
    ),
    Mistake(
        "input_gate_for_the_old_cell",
        "dc_old is the gradient at the cell times i, not f",
        Edit("dz @ u.T, dcell * f", "dz @ u.T, dcell * i"),
        ask="Which gate multiplies the old cell in the formula?",
    ),
    Mistake(
        "slopes_of_the_gates_missing",
        "{part} is what comes out when the gradients of the four vectors are taken for those of "
        "their sums",
        Edit("dcell * g * i * (1 - i)", "dcell * g"),
        Edit("dcell * c_old * f * (1 - f)", "dcell * c_old"),
        Edit("dcell * i * (1 - g * g)", "dcell * i"),
        Edit("dh * t * o * (1 - o)", "dh * t"),
        ask=SLOPES,
    ),
    Mistake(
        "slopes_of_sigmoid_missing",
        "{part} is what comes out when the slope of sigmoid is left out for all three gates",
        Edit("dcell * g * i * (1 - i)", "dcell * g"),
        Edit("dcell * c_old * f * (1 - f)", "dcell * c_old"),
        Edit("dh * t * o * (1 - o)", "dh * t"),
        ask=SLOPES,
    ),
    Mistake(
        "offer_as_a_gate",
        "{part} is what comes out when g has the slope of sigmoid",
        Edit("dcell * i * (1 - g * g)", "dcell * i * g * (1 - g)"),
        ask="Through which function does g go in the formula?",
    ),
    Mistake(
        "slope_of_the_offer_missing",
        "{part} is what comes out when g has no slope: its gradient is taken for that of its sum",
        Edit("dcell * i * (1 - g * g)", "dcell * i"),
        ask=SLOPES,
    ),
    Mistake(
        "new_cell_for_the_forget_gate",
        "{part} is what comes out when the gradient of f is made with the new cell",
        Edit("dcell * c_old * f", "dcell * c * f"),
        ask="Which cell does f multiply?",
    ),
    Mistake(
        "gate_and_offer_exchanged",
        "{part} is what comes out when i multiplies the gradient of i, and g that of g",
        Edit("dcell * g * i * (1 - i)", "dcell * i * i * (1 - i)"),
        Edit("dcell * i * (1 - g * g)", "dcell * g * (1 - g * g)"),
        ask="In a product of two, by which one is the gradient of the first multiplied?",
    ),
    Mistake(
        "cell_without_tanh",
        "{part} is what comes out when the gradient of o is made with the cell, without tanh",
        Edit("dh * t * o * (1 - o)", "dh * c * o * (1 - o)"),
        ask="What does o multiply in the formula?",
    ),
    Mistake(
        "output_gate_from_the_cell",
        "{part} is what comes out when the gradient of o begins with that of the cell",
        Edit("dh * t * o * (1 - o)", "dcell * t * o * (1 - o)"),
        ask="If o moves, does the new cell move?",
    ),
    Mistake(
        "offer_last",
        "{part} is what comes out when the gradients are put side by side in the order i, f, o, g",
        Edit("[dz_i, dz_f, dz_g, dz_o]", "[dz_i, dz_f, dz_o, dz_g]"),
        ask="In which order does gates hold the four vectors?",
    ),
    Mistake(
        "offer_third_in_gates",
        "{part} is what comes out when gates is read in the order i, f, o, g",
        Edit("i, f, g, o = np.split", "i, f, o, g = np.split"),
        ask="In which order does forward put the four vectors side by side?",
    ),
    Mistake(
        "dh_goes_on",
        "dh_old has dh added to it, as if the old output were added to the new one",
        Edit("dz @ u.T, dcell * f", "dz @ u.T + dh, dcell * f"),
        ask="Where in the formulas does the old output appear?",
    ),
]
