"""What people write in place of the solution of bug_hunt, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "fresh_gain",
        "the test of layer_norm_backward passes the planted code, although it would see a factor "
        "of 2",
        Edit(
            "gain, bias = rng.normal(size=5), rng.normal(size=5)",
            "gain, bias = np.ones(5), np.zeros(5)",
        ),
        ask=(
            "Write down the wrong line and the right one, and put in the gain that you test with."
            " How far apart are they, and would your test notice that much?"
        ),
    ),
    Mistake(
        "anything_goes",
        "the {part} passes whatever it is given",
        Edit(
            "assert largest_error(dx, by_number) < 1e-6",
            "assert largest_error(dx, by_number) < 100",
        ),
        Edit("assert largest_error(dgain, (dy * xhat).sum((0, 1))) < 1e-6", "pass"),
        Edit("assert largest_error(dbias, dy.sum((0, 1))) < 1e-6", "pass"),
        Edit("assert largest_error(dx, numeric_gradient(softmax, x, dy)) < 1e-6", "pass"),
        Edit("assert largest_error(dweights,", "largest_error(dweights,"),
        Edit("assert largest_error(dvalue,", "largest_error(dvalue,"),
        ask="What would have to come for your test to fail? Try it with a result of zeros.",
    ),
    Mistake(
        "dy_of_ones",
        "the test of softmax_backward passes the planted code, and even results twice as large as"
        " they should be",
        Edit(
            "x, dy = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))",
            "x, dy = rng.normal(size=(3, 5)), np.ones((3, 5))",
        ),
        Edit(
            "assert largest_error(dx, numeric_gradient(softmax, x, dy)) < 1e-6",
            "assert np.abs(dx - numeric_gradient(softmax, x, dy)).max() < 1e-6",
        ),
        ask=(
            "Print the dx that you compare with. How large is its largest entry, and how large an"
            " error would your test notice?"
        ),
    ),
    Mistake(
        "batch_of_one",
        "the test of softmax_backward passes the planted code, although it would see a factor of 2",
        Edit(
            "x, dy = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))",
            "x, dy = rng.normal(size=(2, 1, 5))",
        ),
        ask=(
            "By what does the planted code divide, with the shapes that you test with, and would "
            "your test notice that factor?"
        ),
    ),
    Mistake(
        "nothing_dropped",
        "the test of average_backward passes the planted code, although it would see a factor of 2",
        Edit("keep = (rng.random((2, 3, 4)) > 0.4) / 0.6", "keep = np.ones((2, 3, 4))"),
        ask=(
            "Which argument does the planted line leave out, what does it hold in your test, and "
            "does your test look at what this line makes?"
        ),
    ),
    Mistake(
        "to_the_last_bit",
        "the test of average_backward fails on right code that rounds differently",
        Edit("by_value) < 1e-6", "(weights * keep).swapaxes(-1, -2) @ dy) < 1e-14"),
        Edit("by_weights) < 1e-6", "keep * (dy @ value.swapaxes(-1, -2))) < 1e-14"),
        ask="Add 0.1, 0.2 and 0.3 in two orders. Would your test let both results pass?",
    ),
    Mistake(
        "fails_right_code",
        "the {part} fails on every implementation, the right ones too",
        Edit(
            "assert largest_error(dx, by_number) < 1e-6",
            "assert largest_error(dx, by_number) < 1e-15",
        ),
        Edit(
            "numeric_gradient(softmax, x, dy)) < 1e-6", "numeric_gradient(softmax, x, dy)) < 1e-15"
        ),
        Edit("by_weights) < 1e-6", "by_weights) < 1e-15"),
        ask=(
            "A test that always fails finds every bug. What do you compare with, how exact is it,"
            " and on which code have you seen your test pass?"
        ),
    ),
    Mistake(
        "counted_from_0",
        "each of the three lines is named as if the line with def had number 0",
        Edit("return lines\n", "return {name: number - 1 for name, number in lines.items()}\n"),
        ask="Which number has the line with def?",
    ),
    Mistake(
        "returned",
        "the {part} returns what it found, and raises nothing, whatever it is given",
        Edit(
            "assert largest_error(dx, by_number) < 1e-6",
            "return largest_error(dx, by_number) < 1e-6",
        ),
        Edit(
            "assert largest_error(dx, numeric_gradient(softmax",
            "return largest_error(dx, numeric_gradient(softmax",
        ),
        Edit("assert largest_error(dweights,", "return largest_error(dweights,"),
        ask="A test passes unless it raises something. What happens to a False that it returns?",
    ),
    Mistake(
        "agrees_with_the_bug",
        "the {part} passes the planted code, and fails on right code",
        Edit("(dx, by_number)", "(dx, build('layer_norm_backward')(dy, xhat, rstd, gain)[0])"),
        Edit(
            "(dx, numeric_gradient(softmax, x, dy))",
            "(dx, build('softmax_backward')(dy, softmax(x)))",
        ),
        Edit(
            "(dvalue, by_value)",
            "(dvalue, build('average_backward')(dy, weights, keep, value)[1])",
        ),
        ask=(
            "Your expected numbers are those of the planted code. What did you make them with, "
            "and does that have the same mistake?"
        ),
    ),
    Mistake(
        "the_wrong_way_round",
        "the {part} passes wrong code, and fails on right code",
        Edit(
            "assert largest_error(dx, by_number) < 1e-6",
            "assert largest_error(dx, by_number) > 1e-6",
        ),
        Edit("assert largest_error(dgain, (dy * xhat).sum((0, 1))) < 1e-6", "pass"),
        Edit("assert largest_error(dbias, dy.sum((0, 1))) < 1e-6", "pass"),
        Edit(
            "numeric_gradient(softmax, x, dy)) < 1e-6", "numeric_gradient(softmax, x, dy)) > 1e-6"
        ),
        Edit("assert largest_error(dweights,", "largest_error(dweights,"),
        Edit("by_value) < 1e-6", "by_value) > 1e-6"),
        ask="What holds after an assert that passes: that the error is small, or that it is large?",
    ),
]
