"""What people write in place of the solution of second_bug_hunt, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "anything_goes",
        "the {part} passes whatever it is given",
        Edit("assert largest_error(dtable, by_table)", "largest_error(dtable, by_table)"),
        Edit("assert largest_error(dtable, by_embedding", "largest_error(dtable, by_embedding"),
        ask="What would have to come for your test to fail? Try it with a result of zeros.",
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
        Edit("assert y.shape == (B, H, T, K)", "assert y.shape == (B, T, H, K)"),
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
        "each of the three lines is named as if the line with def had number 0",
        Edit("return lines\n", "return {name: number - 1 for name, number in lines.items()}\n"),
        ask="Which number has the line with def?",
    ),
    Mistake(
        "returned",
        "the {part} returns what it found, and raises nothing, whatever it is given",
        Edit("assert y.shape ==", "return y.shape =="),
        Edit("assert largest_error(dtable, by_table)", "return largest_error(dtable, by_table)"),
        Edit(
            "assert largest_error(dtable, by_embedding", "return largest_error(dtable, by_embedding"
        ),
        ask="A test passes unless it raises something. What happens to a False that it returns?",
    ),
    Mistake(
        "agrees_with_the_bug",
        "the {part} passes the planted code, and fails on right code",
        Edit("(y[:, h], x[:, :, h * K : (h + 1) * K])", "(y, build('split_heads')(x, H))"),
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
        Edit("x[:, :, h * K : (h + 1) * K]) < 1e-6", "x[:, :, h * K : (h + 1) * K]) > 1e-6"),
        Edit("by_table) < 1e-6", "by_table) > 1e-6"),
        Edit("by_embedding + by_generator) < 1e-6", "by_embedding + by_generator) > 1e-6"),
        ask="What holds after an assert that passes: that the error is small, or that it is large?",
    ),
]
