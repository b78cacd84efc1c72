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
        Edit("assert largest_error(dtable, by_table)", "largest_error(dtable, by_table)"),
        Edit("assert largest_error(dtable, by_embedding", "largest_error(dtable, by_embedding"),
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
        "one_word",
        "the test of split_heads passes the planted code, although it would see a factor of 2",
        Edit("B, T, H, K = 2, 3, 4, 5", "B, T, H, K = 2, 1, 4, 5"),
        ask="For which sizes is (B, H, T, K) in memory the same as (B, T, H, K)?",
    ),
    Mistake(
        "shape_alone",
        "the test of split_heads passes whatever has the right shape",
        Edit("assert largest_error(y[:, h], x[:, :, h * K : (h + 1) * K]) < 1e-6", "pass"),
        ask=(
            "What would have to come for your test to fail? Where does number k of head h at "
            "position t come from, and does your test ask?"
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
        "no_word_twice",
        "the test of embedding_backward passes the planted code, although it would see a factor "
        "of 2",
        Edit("ids = np.array([[1, 2, 1], [4, 1, 2]])", "ids = np.array([[1, 2, 3], [4, 0, 5]])"),
        ask=(
            "What does dtable[ids] += ... do when an id stands twice in ids, and does one in your"
            " test?"
        ),
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
        Edit("assert y.shape == (B, H, T, K)", "assert y.shape == (B, T, H, K)"),
        Edit("by_weights) < 1e-6", "by_weights) < 1e-15"),
        Edit(
            "numeric_gradient(lambda table: embed(ids, table), table, dy)",
            "np.eye(6)[ids].reshape(-1, 6).T @ dy.reshape(-1, 4)",
        ),
        ask=(
            "A test that always fails finds every bug. What do you compare with, how exact is it,"
            " and on which code have you seen your test pass?"
        ),
    ),
    Mistake(
        "one_side_of_the_table",
        "the test of tied_backward passes the planted code, although it would see a factor of 2",
        Edit("dx = rng.normal(size=(2, 3, 4))", "dx = np.zeros((2, 3, 4))"),
        ask="Of the two gradients that meet in dtable, which ones are not zero in your test?",
    ),
    Mistake(
        "only_the_sum",
        "the test of tied_backward fails on right code, and on wrong code as well",
        Edit("by_embedding + by_generator) < 1e-6", "(by_embedding + by_generator) / 2) < 1e-6"),
        ask=(
            "A test that always fails finds every bug. What do you compare dtable with, and how "
            "do the two gradients meet in it?"
        ),
    ),
    Mistake(
        "counted_from_0",
        "each of the six lines is named as if the line with def had number 0",
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
        Edit("assert y.shape ==", "return y.shape =="),
        Edit("assert largest_error(dweights,", "return largest_error(dweights,"),
        Edit("assert largest_error(dtable, by_table)", "return largest_error(dtable, by_table)"),
        Edit(
            "assert largest_error(dtable, by_embedding", "return largest_error(dtable, by_embedding"
        ),
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
        Edit("(y[:, h], x[:, :, h * K : (h + 1) * K])", "(y, build('split_heads')(x, H))"),
        Edit(
            "(dvalue, by_value)",
            "(dvalue, build('average_backward')(dy, weights, keep, value)[1])",
        ),
        Edit(
            "(dtable, by_table)",
            "(dtable, build('embedding_backward')(dy, ids, 6))",
        ),
        Edit(
            "(dtable, by_embedding + by_generator)",
            "(dtable, build('tied_backward')(dx, ids, dlogits, y))",
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
        Edit("x[:, :, h * K : (h + 1) * K]) < 1e-6", "x[:, :, h * K : (h + 1) * K]) > 1e-6"),
        Edit("assert largest_error(dweights,", "largest_error(dweights,"),
        Edit("by_value) < 1e-6", "by_value) > 1e-6"),
        Edit("by_table) < 1e-6", "by_table) > 1e-6"),
        Edit("by_embedding + by_generator) < 1e-6", "by_embedding + by_generator) > 1e-6"),
        ask="What holds after an assert that passes: that the error is small, or that it is large?",
    ),
]
