"""What people write in place of the solution of lstm_step, and what to say of it."""

from npformer_course.definition import Edit, Mistake

SPLIT = "i, f, g, o = np.split(z, 4, axis=-1)"
CELL = "c = f * c_old + i * g"
OUTPUT = "h = o * np.tanh(c)"

MISTAKES = [
    Mistake(
        "offer_last",
        "the third quarter of the columns is taken for o, and the last for g",
        Edit(SPLIT, "i, f, o, g = np.split(z, 4, axis=-1)"),
        ask="In which order does w hold its four matrices?",
    ),
    Mistake(
        "forget_first",
        "the first quarter of the columns is taken for f, and the second for i",
        Edit(SPLIT, "f, i, g, o = np.split(z, 4, axis=-1)"),
        ask="In which order does w hold its four matrices?",
    ),
    Mistake(
        "columns_in_turns",
        "the columns are dealt out in turns: the first to i, the second to f, and so on",
        Edit(SPLIT, "i, f, g, o = np.moveaxis(z.reshape(*z.shape[:-1], -1, 4), -1, 0)"),
        ask="H is 2. Which two columns of w are the matrix of i?",
    ),
    Mistake(
        "output_without_tanh",
        "h is made of the cell itself, without tanh",
        Edit(OUTPUT, "h = o * c"),
        ask="The cell may grow beyond 1. Can h?",
    ),
    Mistake(
        "tanh_in_the_cell",
        "tanh is taken of the new cell, and the result is kept",
        Edit(CELL, "c = np.tanh(f * c_old + i * g)"),
        ask="f is 1 and i is 0 for a hundred steps. What should the cell be then, and what is it "
        "in your code?",
    ),
    Mistake(
        "output_of_the_old_cell",
        "h is made of the cell that the step before has left",
        Edit(OUTPUT, "h = o * np.tanh(c_old)"),
        ask="A word is let in. In which step can it first be seen in h?",
    ),
    Mistake(
        "output_gate_missing",
        "h does not depend on the gate o",
        Edit(OUTPUT, "h = np.tanh(c)"),
        ask="o is 0 everywhere. What should the next step see of the cell?",
    ),
    Mistake(
        "sigmoid_for_the_offer",
        "g is made by sigmoid, so that all numbers offered to the cell are above 0",
        Edit("g = np.tanh(g)", "g = sigmoid(g)"),
        ask="How could a word lower a feature of the cell?",
    ),
    Mistake(
        "tanh_for_the_gates",
        "the gates are made by tanh, so that they lie between -1 and 1",
        Edit("i = sigmoid(i)", "i = np.tanh(i)"),
        Edit("f = sigmoid(f)", "f = np.tanh(f)"),
        Edit("o = sigmoid(o)", "o = np.tanh(o)"),
        ask="What would a gate of -1 do to the cell that it is meant to keep?",
    ),
    Mistake(
        "gates_of_any_size",
        "the gates are numbers of any size: no sigmoid is taken of them",
        Edit("i = sigmoid(i)", "i = 1 * i"),
        Edit("f = sigmoid(f)", "f = 1 * f"),
        Edit("o = sigmoid(o)", "o = 1 * o"),
        ask="Between which two numbers does a gate have to lie, and what brings it there?",
    ),
    Mistake(
        "old_output_not_read",
        "{part} does not depend on h_old",
        Edit(" + h_old @ u", ""),
        ask="Which two vectors do the gates look at?",
    ),
    Mistake(
        "bias_missing",
        "{part} does not depend on b",
        Edit(" + b\n", "\n"),
        ask="x and h_old are 0. What are the gates by the formula, and what are yours?",
    ),
    Mistake(
        "nothing_kept",
        "nothing of the old cell is kept",
        Edit(CELL, "c = i * g"),
        ask="f is 1 and i is 0. What should the cell be after this step?",
    ),
    Mistake(
        "everything_kept",
        "the old cell is kept whole, whatever f is",
        Edit(CELL, "c = c_old + i * g"),
        ask="f is 0. What should be left of the old cell?",
    ),
    Mistake(
        "everything_let_in",
        "the offer g is let in whole, whatever i is",
        Edit(CELL, "c = f * c_old + g"),
        ask="i is 0. What should this word change in the cell?",
    ),
    Mistake(
        "one_gate_for_both",
        "the share of the offer that is let in is 1 - f, as if there were no i",
        Edit(CELL, "c = f * c_old + (1 - f) * g"),
        ask="May a step keep everything and let in everything?",
    ),
    Mistake(
        "gates_exchanged",
        "f multiplies the offer, and i the old cell",
        Edit(CELL, "c = i * c_old + f * g"),
        ask="f is 0. Which of the two should be gone: the old cell or the offer?",
    ),
    Mistake(
        "cell_returned_first",
        "the cell is returned first, and the output second",
        Edit("return h, c, gates", "return c, h, gates"),
        ask="In which order does the docstring name the results?",
    ),
    Mistake(
        "sums_returned",
        "the gates returned are the sums, before sigmoid and tanh",
        Edit("gates = np.concatenate([i, f, g, o], axis=-1)", "gates = z"),
        ask="Which numbers multiply the cell: those that you return?",
    ),
]
