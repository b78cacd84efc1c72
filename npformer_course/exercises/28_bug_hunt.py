# id: bug_hunt | points: 18 | minutes: 90 | level: 3 | needs: numeric_gradient tied_generator | notebook: 05d

# %% [markdown]
# # Bug hunt: tests that can fail
#
# A wrong backward does not crash. Shapes fit, the loss sinks (more slowly than it could), and nobody notices. The six
# functions below are of this kind. Each looks as it should and has one wrong line. What finds it is a test, and a test
# can be wrong too: it can let the bug pass, or it can fail on code that is right.
#
# So the roles change. The code is given, and you write the tests. This tool you know from exercise 01: the
# derivative of $\sum dy \cdot f(x)$, taken by moving one number of $x$ after the other.

# %%
import numpy as np


def numeric_gradient(f, x, dy, h=1e-5):
    """Return the gradient of sum(dy * f(x)) at x, an array like x; x is put back as it was."""
    x, dx = x.copy(), np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        before = x[i]
        x[i] = before + h
        above = (dy * f(x)).sum()
        x[i] = before - h
        below = (dy * f(x)).sum()
        x[i] = before
        dx[i] = (above - below) / (2 * h)
    return dx


def largest_error(got, expected):
    """Return the largest difference as a part of the largest expected magnitude."""
    return np.abs(got - expected).max() / (np.abs(expected).max() or 1.0)


# %% [markdown]
# The forwards, all of them right:


# %%
def layer_norm(x, gain, bias, eps=1e-6):
    """(B, T, D) -> y (B, T, D), and what backward needs: xhat (B, T, D), rstd (B, T, 1)."""
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    xhat = (x - x.mean(-1, keepdims=True)) * rstd
    return gain * xhat + bias, xhat, rstd


def softmax(x):
    """(B, V) -> (B, V)."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def average(weights, keep, value):
    """Dropout of attention weights (B, T, S), then the average of value (B, S, K): (B, T, K).

    keep (B, T, S) holds 0 where a weight is dropped and 1 / (1 - p) elsewhere.
    """
    return (weights * keep) @ value


def embed(ids, table):
    """Look up: ids (B, T), table (V, D) -> (B, T, D)."""
    return table[ids] * np.sqrt(table.shape[1])


def generate(table, y):
    """The generator, which shares the table: table (V, D), y (B, T, D) -> logits (B, T, V)."""
    return y @ table.T


# %% [markdown]
# And the suspects, as text. `build("softmax_backward")` makes a function of one, so that you can call it. Each has one
# line that is wrong, in the body and not in the text at its head.
#
# `tied_backward` needs a word: the same table is used by `embed`, whose output gets the gradient `dx`, and by
# `generate`, whose output gets `dlogits`. What it returns is the gradient of the table from both. `split_heads` is no
# backward: it cuts the $D = H K$ features of every position into $H$ heads of $K$, feature $h K + k$ being number $k$
# of head $h$.

# %%
CODE = {
    "layer_norm_backward": '''def layer_norm_backward(dy, xhat, rstd, gain):
    """dy, xhat (B, T, D), rstd (B, T, 1), gain (D,) -> dx (B, T, D), dgain (D,), dbias (D,)"""
    dgain = (dy * xhat).sum((0, 1))
    dbias = dy.sum((0, 1))
    dxhat = dy * gain
    along_ones = gain * dy.mean(-1, keepdims=True)
    along_xhat = (dxhat * xhat).mean(-1, keepdims=True)
    dx = rstd * (dxhat - along_ones - xhat * along_xhat)
    return dx, dgain, dbias
''',
    "softmax_backward": '''def softmax_backward(dy, y):
    """dy (B, V), y (B, V): what softmax returned -> dx (B, V)"""
    total = (dy * y).sum(-1, keepdims=True)
    dx = y * (dy - total)
    dx = dx / len(dx)
    return dx
''',
    "split_heads": '''def split_heads(x, n_heads):
    """x (B, T, H * K) -> (B, H, T, K)"""
    B, T, D = x.shape
    width = D // n_heads
    heads = x.reshape(B, n_heads, T, width)
    return heads
''',
    "average_backward": '''def average_backward(dy, weights, keep, value):
    """dy (B, T, K), weights, keep (B, T, S), value (B, S, K) -> dweights (B, T, S), dvalue (B, S, K)"""
    dropped = dy @ value.swapaxes(-1, -2)
    dweights = dropped * keep
    dvalue = weights.swapaxes(-1, -2) @ dy
    return dweights, dvalue
''',
    "embedding_backward": '''def embedding_backward(dy, ids, vocab_size):
    """dy (B, T, D), ids (B, T) -> dtable (V, D)"""
    D = dy.shape[-1]
    dtable = np.zeros((vocab_size, D))
    dtable[ids] += dy * np.sqrt(D)
    return dtable
''',
    "tied_backward": '''def tied_backward(dx, ids, dlogits, y):
    """dx, y (B, T, D), ids (B, T), dlogits (B, T, V) -> dtable (V, D)"""
    D, V = y.shape[-1], dlogits.shape[-1]
    dtable = np.zeros((V, D))
    np.add.at(dtable, ids, dx * np.sqrt(D))
    dtable = dlogits.reshape(-1, V).T @ y.reshape(-1, D)
    return dtable
''',
}


def build(name):
    """Return the function of this name, made of its text."""
    namespace = {"np": np}
    exec(CODE[name], namespace)
    return namespace[name]


# %% [markdown]
# ## Your turn
#
# **Six tests.** Each is a function that is given an implementation, calls it on inputs of your choice, and raises an
# `AssertionError` if the implementation is wrong (by `assert`, or by a function of `np.testing`). If it is right, the
# test returns. For example, a test of a function that doubles:
#
#     def test_double(double):
#         assert largest_error(double(np.array([1.0, -3.0])), np.array([2.0, -6.0])) < 1e-6
#
# Each of your tests is run on six implementations, in an order that you do not know. The results are shown in this
# order:
#
# 1. a right one: your test must let it pass;
# 2. another right one, in a different style, which takes the same arguments, in the shapes that the text at its head
#    says, and returns the same;
# 3. a right one that rounds differently: its results differ by up to $10^{-10}$ of their largest number. (`split_heads`
#    only moves numbers about, so there it is one more style instead);
# 4. the one above, `build(name)`: your test must fail on it;
# 5. one that returns twice what is right: your test must fail;
# 6. one that returns ones: your test must fail.
#
# 0 stands for a test that passed, 1 for an `AssertionError`; anything else that is raised ends the check of the test,
# and you see the line. Points are given only for 0 0 0 1 1 1. Your inputs must be such that the bug shows; that is
# what this exercise is about, and the question under "Predict first" is about inputs on which it does not. Arguments
# may be given by position or by name. Try a test on `build(name)` first, but do not stop there: that it fails says
# nothing as long as you have not seen it pass.
#
# **Six lines.** And say which line of each is wrong. Lines are counted from 1, the line with `def`. (A check
# shows your answer as a sealed number, from which you learn whether it is right, and no more.)


# %%
def test_layer_norm_backward(layer_norm_backward):
    """Raise AssertionError unless layer_norm_backward(dy, xhat, rstd, gain) is right: dx, dgain, dbias."""
    # BEGIN SOLUTION
    rng = np.random.default_rng(1)
    x, dy = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5))
    gain, bias = rng.normal(size=5), rng.normal(size=5)
    _, xhat, rstd = layer_norm(x, gain, bias)
    dx, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)
    by_number = numeric_gradient(lambda x: layer_norm(x, gain, bias)[0], x, dy)
    assert largest_error(dx, by_number) < 1e-6
    assert largest_error(dgain, (dy * xhat).sum((0, 1))) < 1e-6
    assert largest_error(dbias, dy.sum((0, 1))) < 1e-6
    # END SOLUTION


# %%
def test_softmax_backward(softmax_backward):
    """Raise AssertionError unless softmax_backward(dy, y) is right: dx."""
    # BEGIN SOLUTION
    rng = np.random.default_rng(2)
    x, dy = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    dx = softmax_backward(dy, softmax(x))
    assert largest_error(dx, numeric_gradient(softmax, x, dy)) < 1e-6
    # END SOLUTION


# %%
def test_split_heads(split_heads):
    """Raise AssertionError unless split_heads(x, n_heads) is right: (B, H, T, K)."""
    # BEGIN SOLUTION
    B, T, H, K = 2, 3, 4, 5
    x = np.random.default_rng(3).normal(size=(B, T, H * K))
    y = split_heads(x, H)
    assert y.shape == (B, H, T, K)
    for h in range(H):
        assert largest_error(y[:, h], x[:, :, h * K : (h + 1) * K]) < 1e-6
    # END SOLUTION


# %%
def test_average_backward(average_backward):
    """Raise AssertionError unless average_backward(dy, weights, keep, value) is right: dweights, dvalue."""
    # BEGIN SOLUTION
    rng = np.random.default_rng(4)
    weights, value = softmax(rng.normal(size=(2, 3, 4))), rng.normal(size=(2, 4, 5))
    keep = (rng.random((2, 3, 4)) > 0.4) / 0.6
    dy = rng.normal(size=(2, 3, 5))
    dweights, dvalue = average_backward(dy, weights, keep, value)
    assert largest_error(dweights, numeric_gradient(lambda w: average(w, keep, value), weights, dy)) < 1e-6
    assert largest_error(dvalue, numeric_gradient(lambda v: average(weights, keep, v), value, dy)) < 1e-6
    # END SOLUTION


# %%
def test_embedding_backward(embedding_backward):
    """Raise AssertionError unless embedding_backward(dy, ids, vocab_size) is right: dtable."""
    # BEGIN SOLUTION
    rng = np.random.default_rng(5)
    ids = np.array([[1, 2, 1], [4, 1, 2]])
    table, dy = rng.normal(size=(6, 4)), rng.normal(size=(2, 3, 4))
    dtable = embedding_backward(dy, ids, len(table))
    assert largest_error(dtable, numeric_gradient(lambda table: embed(ids, table), table, dy)) < 1e-6
    # END SOLUTION


# %%
def test_tied_backward(tied_backward):
    """Raise AssertionError unless tied_backward(dx, ids, dlogits, y) is right: dtable."""
    # BEGIN SOLUTION
    rng = np.random.default_rng(6)
    table, y = rng.normal(size=(6, 4)), rng.normal(size=(2, 3, 4))
    dx = rng.normal(size=(2, 3, 4))
    ids, dlogits = np.array([[1, 2, 1], [4, 1, 2]]), rng.normal(size=(2, 3, 6))
    dtable = tied_backward(dx, ids, dlogits, y)
    by_embedding = numeric_gradient(lambda table: embed(ids, table), table, dx)
    by_generator = numeric_gradient(lambda table: generate(table, y), table, dlogits)
    assert largest_error(dtable, by_embedding + by_generator) < 1e-6
    # END SOLUTION


# %%
def guilty_lines():
    """Return a dict: for each name in CODE the number of the wrong line, or its text."""
    # BEGIN SOLUTION
    lines = {"layer_norm_backward": 6, "softmax_backward": 5, "split_heads": 5}
    lines |= {"average_backward": 5, "embedding_backward": 5, "tied_backward": 6}
    return lines
    # END SOLUTION


# %% tags=["teacher"]
import zlib

from npformer_course.definition import Call, Edit, Mistake, Prediction

UNCHANGED = 0  # the student gets no array

BUGS = {  # in the code that the student gets, `wrong` stands where `right` should
    "layer_norm_backward": Edit("along_ones = dxhat.mean(-1,", "along_ones = gain * dy.mean(-1,"),
    "softmax_backward": Edit("dx = dx\n", "dx = dx / len(dx)\n"),
    "split_heads": Edit("x.reshape(B, T, n_heads, width).transpose(0, 2, 1, 3)", "x.reshape(B, n_heads, T, width)"),
    "average_backward": Edit("(weights * keep).swapaxes", "weights.swapaxes"),
    "embedding_backward": Edit("np.add.at(dtable, ids, dy * np.sqrt(D))", "dtable[ids] += dy * np.sqrt(D)"),
    "tied_backward": Edit("dtable += dlogits", "dtable = dlogits"),
}
RIGHT = {name: Edit(bug.wrong, bug.right).apply(CODE[name]) for name, bug in BUGS.items()}


def layer_norm_backward_otherwise(dy, xhat, rstd, gain):
    D = len(gain)
    slope = np.eye(D) - 1 / D - np.einsum("bti,btj->btij", xhat, xhat) / D
    dx = np.einsum("bti,btij->btj", dy * gain, slope) * rstd
    return dx, np.einsum("btd,btd->d", dy, xhat), np.einsum("btd->d", dy)


def softmax_backward_otherwise(dy, y):
    dx = np.empty_like(dy)
    for b in range(len(y)):
        dx[b] = (np.diag(y[b]) - np.outer(y[b], y[b])) @ dy[b]
    return dx


def split_heads_otherwise(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1), axis=1)


def split_heads_by_loops(x, n_heads):
    B, T, D = x.shape
    y = np.zeros((B, n_heads, T, D // n_heads), x.dtype)
    for d in range(D):
        y[:, d // (D // n_heads), :, d % (D // n_heads)] = x[:, :, d]
    return y


def average_backward_otherwise(dy, weights, keep, value):
    return np.einsum("btk,bsk,bts->bts", dy, value, keep), np.einsum("bts,bts,btk->bsk", weights, keep, dy)


def embedding_backward_otherwise(dy, ids, vocab_size):
    one_hot = np.eye(vocab_size)[ids]
    return dy.shape[-1] ** 0.5 * np.einsum("btv,btd->vd", one_hot, dy)


def tied_backward_otherwise(dx, ids, dlogits, y):
    dtable = np.einsum("btv,btd->vd", dlogits, y)
    for place in np.ndindex(ids.shape):
        dtable[ids[place]] += dx[place] * y.shape[-1] ** 0.5
    return dtable


def made_of(text, name):
    namespace = {"np": np}
    exec(text, namespace)
    return namespace[name]


def each(change, function):
    """Return a function whose results are those of `function`, each changed."""

    def changed(*args, **keywords):
        returned = function(*args, **keywords)
        return tuple(map(change, returned)) if isinstance(returned, tuple) else change(returned)

    return changed


def rounded_differently(x):
    """Move numbers by up to 1e-10 of the largest."""
    return x + 1e-10 * np.abs(x).max() * np.cos(np.arange(x.size)).reshape(x.shape)


def implementations(name):
    """Return the six on which a test is run, three right ones first."""
    right = made_of(RIGHT[name], name)
    third = split_heads_by_loops if name == "split_heads" else each(rounded_differently, right)
    wrong = made_of(CODE[name], name), each(lambda x: 2 * x, right), each(np.ones_like, right)
    return right, globals()[f"{name}_otherwise"], third, *wrong


def verdicts(test, name, order):
    """Return for each implementation 0: the test passes it, or 1: fails it; they are called in this order.

    2 throughout stands for a test that passes all of them and returns what it should raise.
    """
    failures, all_six, returned = np.zeros(len(order), int), implementations(name), []
    for i in order:
        try:
            returned.append(test(all_six[i]))
        except AssertionError:
            failures[i] = 1
        except Exception as error:
            if i >= 3:
                test(all_six[0])  # raises as well, unless it is the answer to wrong code
                raise RuntimeError(
                    f"{error} ({type(error).__name__}), on wrong code: expected AssertionError"
                ) from error
            raise
    silent = not failures.any() and any(value is not None for value in returned)
    return failures + 2 * silent


def number_of(name, answer):
    """Return the line that an answer names by its number or its text, or 0."""
    lines = [line.strip() for line in CODE[name].split("\n")]
    if isinstance(answer, str):
        return 1 + lines.index(answer.strip()) if answer.strip() in lines else 0
    return int(answer) if isinstance(answer, int | np.integer) and not isinstance(answer, bool) else 0


def sealed(name, answer, seal):
    """Return a number of four digits by which a right answer is recognized and not betrayed."""
    return 1000 + zlib.crc32(f"{name} {number_of(name, answer)} {seal}".encode()) % 9000


def inputs(draw):
    """Draw the order in which a test meets the implementations, and a seal for the answers."""
    seal = int(draw.rng.integers(10**6))
    return {**{f"order{i}": draw.rng.permutation(6) for i in range(len(CODE))}, "seal": seal}


def on_layer_norm(student, order0):
    return verdicts(student.test_layer_norm_backward, "layer_norm_backward", order0)


def on_softmax(student, order1):
    return verdicts(student.test_softmax_backward, "softmax_backward", order1)


def on_split_heads(student, order2):
    return verdicts(student.test_split_heads, "split_heads", order2)


def on_average(student, order3):
    return verdicts(student.test_average_backward, "average_backward", order3)


def on_embedding(student, order4):
    return verdicts(student.test_embedding_backward, "embedding_backward", order4)


def on_tied(student, order5):
    return verdicts(student.test_tied_backward, "tied_backward", order5)


def lines(student, seal):
    answers = student.guilty_lines()
    return tuple(sealed(name, answers.get(name), seal) for name in CODE)


CALLS = [
    Call(on_layer_norm, {"test of layer_norm_backward": 2}),
    Call(on_softmax, {"test of softmax_backward": 2}),
    Call(on_split_heads, {"test of split_heads": 2}),
    Call(on_average, {"test of average_backward": 2}),
    Call(on_embedding, {"test of embedding_backward": 2}),
    Call(on_tied, {"test of tied_backward": 2}),
    Call(lines, {f"line of {name}": 1 for name in CODE}),
]

TESTED = (
    "on right code",
    "on right code in another style",
    "on right code that rounds otherwise",
    "on the planted code",
    "on results twice as large",
    "on results of ones",
)
AXES = {part: TESTED for call in CALLS[:-1] for part in call.parts} | {part: () for part in CALLS[-1].parts}
AXES["test of split_heads"] = (*TESTED[:2], "on right code in a third style", *TESTED[3:])

EXPECTED = np.array([0, 0, 0, 1, 1, 1])
SLOW = {
    "on_layer_norm": lambda order0: EXPECTED,
    "on_softmax": lambda order1: EXPECTED,
    "on_split_heads": lambda order2: EXPECTED,
    "on_average": lambda order3: EXPECTED,
    "on_embedding": lambda order4: EXPECTED,
    "on_tied": lambda order5: EXPECTED,
    "lines": lambda seal: tuple(
        sealed(name, 1 + CODE[name][: CODE[name].index(bug.wrong)].count("\n"), seal) for name, bug in BUGS.items()
    ),
}

PREDICTION = Prediction(
    "You test softmax_backward with dy of ones, against the numeric gradient. Which wrong implementations will pass?",
    {
        "a": "none: the numeric gradient finds every mistake",
        "b": "those that are wrong by a factor",
        "c": "only those that are right for a batch of one",
    },
    answer="b",
    because="The entries of softmax add up to 1 whatever x is, so with dy of ones the loss never moves, and "
    "dx is zero. Zero times any factor is zero. A gradient from above that is all ones is the most popular, and "
    "the worst.",
)

MISTAKES = [
    Mistake(
        "fresh_gain",
        "the test of layer_norm_backward passes the planted code, although it would see a factor of 2",
        Edit("gain, bias = rng.normal(size=5), rng.normal(size=5)", "gain, bias = np.ones(5), np.zeros(5)"),
        ask="Write down the wrong line and the right one, and put in the gain that you test with. How far apart "
        "are they, and would your test notice that much?",
    ),
    Mistake(
        "anything_goes",
        "the {part} passes whatever it is given",
        Edit("assert largest_error(dx, by_number) < 1e-6", "assert largest_error(dx, by_number) < 100"),
        Edit("assert largest_error(dgain, (dy * xhat).sum((0, 1))) < 1e-6", "pass"),
        Edit("assert largest_error(dbias, dy.sum((0, 1))) < 1e-6", "pass"),
        Edit("assert largest_error(dx, numeric_gradient(softmax, x, dy)) < 1e-6", "pass"),
        Edit("assert largest_error(dweights,", "largest_error(dweights,"),
        Edit("assert largest_error(dvalue,", "largest_error(dvalue,"),
        Edit("assert largest_error(dtable, numeric_gradient(", "largest_error(dtable, numeric_gradient("),
        Edit("assert largest_error(dtable, by_embedding", "largest_error(dtable, by_embedding"),
        ask="What would have to come for your test to fail? Try it with a result of zeros.",
    ),
    Mistake(
        "dy_of_ones",
        "the test of softmax_backward passes the planted code, and even results twice as large as they should be",
        Edit(
            "x, dy = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))",
            "x, dy = rng.normal(size=(3, 5)), np.ones((3, 5))",
        ),
        Edit(
            "assert largest_error(dx, numeric_gradient(softmax, x, dy)) < 1e-6",
            "assert np.abs(dx - numeric_gradient(softmax, x, dy)).max() < 1e-6",
        ),
        ask="Print the dx that you compare with. How large is its largest entry, and how large an error would your "
        "test notice?",
    ),
    Mistake(
        "batch_of_one",
        "the test of softmax_backward passes the planted code, although it would see a factor of 2",
        Edit("x, dy = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))", "x, dy = rng.normal(size=(2, 1, 5))"),
        ask="By what does the planted code divide, with the shapes that you test with, and would your test notice "
        "that factor?",
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
        ask="What would have to come for your test to fail? Where does number k of head h at position t come from, and "
        "does your test ask?",
    ),
    Mistake(
        "nothing_dropped",
        "the test of average_backward passes the planted code, although it would see a factor of 2",
        Edit("keep = (rng.random((2, 3, 4)) > 0.4) / 0.6", "keep = np.ones((2, 3, 4))"),
        ask="Which argument does the planted line leave out, what does it hold in your test, and does your test "
        "look at what this line makes?",
    ),
    Mistake(
        "to_the_last_bit",
        "the test of average_backward fails on right code that rounds differently",
        Edit(
            "numeric_gradient(lambda v: average(weights, keep, v), value, dy)) < 1e-6",
            "(weights * keep).swapaxes(-1, -2) @ dy) < 1e-14",
        ),
        Edit(
            "numeric_gradient(lambda w: average(w, keep, value), weights, dy)) < 1e-6",
            "keep * (dy @ value.swapaxes(-1, -2))) < 1e-14",
        ),
        ask="Add 0.1, 0.2 and 0.3 in two orders. Would your test let both results pass?",
    ),
    Mistake(
        "no_word_twice",
        "the test of embedding_backward passes the planted code, although it would see a factor of 2",
        Edit("ids = np.array([[1, 2, 1], [4, 1, 2]])", "ids = np.array([[1, 2, 3], [4, 0, 5]])"),
        ask="What does dtable[ids] += ... do when an id stands twice in ids, and does one in your test?",
    ),
    Mistake(
        "fails_right_code",
        "the {part} fails on every implementation, the right ones too",
        Edit("assert largest_error(dx, by_number) < 1e-6", "assert largest_error(dx, by_number) < 1e-15"),
        Edit("numeric_gradient(softmax, x, dy)) < 1e-6", "numeric_gradient(softmax, x, dy)) < 1e-15"),
        Edit("assert y.shape == (B, H, T, K)", "assert y.shape == (B, T, H, K)"),
        Edit("average(w, keep, value), weights, dy)) < 1e-6", "average(w, keep, value), weights, dy)) < 1e-15"),
        Edit(
            "numeric_gradient(lambda table: embed(ids, table), table, dy)",
            "np.eye(6)[ids].reshape(-1, 6).T @ dy.reshape(-1, 4)",
        ),
        ask="A test that always fails finds every bug. What do you compare with, how exact is it, and on which code "
        "have you seen your test pass?",
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
        ask="A test that always fails finds every bug. What do you compare dtable with, and how do the two "
        "gradients meet in it?",
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
        Edit("assert largest_error(dx, by_number) < 1e-6", "return largest_error(dx, by_number) < 1e-6"),
        Edit("assert largest_error(dx, numeric_gradient(softmax", "return largest_error(dx, numeric_gradient(softmax"),
        Edit("assert y.shape ==", "return y.shape =="),
        Edit("assert largest_error(dweights,", "return largest_error(dweights,"),
        Edit("assert largest_error(dtable, numeric_gradient(", "return largest_error(dtable, numeric_gradient("),
        Edit("assert largest_error(dtable, by_embedding", "return largest_error(dtable, by_embedding"),
        ask="A test passes unless it raises something. What happens to a False that it returns?",
    ),
    Mistake(
        "agrees_with_the_bug",
        "the {part} passes the planted code, and fails on right code",
        Edit("(dx, by_number)", "(dx, build('layer_norm_backward')(dy, xhat, rstd, gain)[0])"),
        Edit("(dx, numeric_gradient(softmax, x, dy))", "(dx, build('softmax_backward')(dy, softmax(x)))"),
        Edit("(y[:, h], x[:, :, h * K : (h + 1) * K])", "(y, build('split_heads')(x, H))"),
        Edit(
            "(dvalue, numeric_gradient(lambda v: average(weights, keep, v), value, dy))",
            "(dvalue, build('average_backward')(dy, weights, keep, value)[1])",
        ),
        Edit(
            "(dtable, numeric_gradient(lambda table: embed(ids, table), table, dy))",
            "(dtable, build('embedding_backward')(dy, ids, 6))",
        ),
        Edit("(dtable, by_embedding + by_generator)", "(dtable, build('tied_backward')(dx, ids, dlogits, y))"),
        ask="Your expected numbers are those of the planted code. What did you make them with, and does that have the "
        "same mistake?",
    ),
    Mistake(
        "the_wrong_way_round",
        "the {part} passes wrong code, and fails on right code",
        Edit("assert largest_error(dx, by_number) < 1e-6", "assert largest_error(dx, by_number) > 1e-6"),
        Edit("assert largest_error(dgain, (dy * xhat).sum((0, 1))) < 1e-6", "pass"),
        Edit("assert largest_error(dbias, dy.sum((0, 1))) < 1e-6", "pass"),
        Edit("numeric_gradient(softmax, x, dy)) < 1e-6", "numeric_gradient(softmax, x, dy)) > 1e-6"),
        Edit("x[:, :, h * K : (h + 1) * K]) < 1e-6", "x[:, :, h * K : (h + 1) * K]) > 1e-6"),
        Edit("assert largest_error(dweights,", "largest_error(dweights,"),
        Edit("average(weights, keep, v), value, dy)) < 1e-6", "average(weights, keep, v), value, dy)) > 1e-6"),
        Edit("embed(ids, table), table, dy)) < 1e-6", "embed(ids, table), table, dy)) > 1e-6"),
        Edit("by_embedding + by_generator) < 1e-6", "by_embedding + by_generator) > 1e-6"),
        ask="What holds after an assert that passes: that the error is small, or that it is large?",
    ),
]

HINTS = [
    "For five of the six, one recipe will do: random inputs, run the forward, call the implementation with a random "
    "dy, and compare each of its results with the numeric gradient of the forward by that input. split_heads has no "
    "forward: say by slices or by a loop which number must stand where.",
    "Read the wrong line as a formula and ask for which inputs it gives the same as the right one: a gain of ones, a "
    "batch of one sentence, one position, nothing dropped, no id twice, one of two gradients zero. Your inputs must be "
    "none of these.",
    "On tolerances: the numeric gradient is right to about 1e-9 of the largest entry, other roundings to 1e-10, and a "
    "bug is seldom below 1e-2. Anything between 1e-8 and 1e-4 separates them. The lines: layer_norm_backward takes a "
    "mean before the gain, softmax_backward has a line that belongs to a loss, split_heads lets features of one head "
    "come from other positions.",
]

ALTERNATIVES = [
    """
def check(got, expected):
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-7)


def test_layer_norm_backward(f):
    rng = np.random.default_rng()
    B, T, D = 3, 2, 4
    x, dy, gain = rng.normal(size=(B, T, D)), rng.normal(size=(B, T, D)), rng.uniform(1, 3, D)
    y, xhat, rstd = layer_norm(x, gain, np.zeros(D))
    dx, dgain, dbias = f(dy, xhat, rstd, gain)
    for b in range(B):
        for t in range(T):
            g = dy[b, t] * gain
            jacobian = rstd[b, t, 0] * (np.eye(D) - 1 / D - np.outer(xhat[b, t], xhat[b, t]) / D)
            check(dx[b, t], jacobian @ g)
    check(dgain, sum(dy[b, t] * xhat[b, t] for b in range(B) for t in range(T)))
    check(dbias, sum(dy[b, t] for b in range(B) for t in range(T)))


def test_softmax_backward(f):
    y = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    dy = np.array([[1.0, -2.0, 0.5], [3.0, 1.0, 0.0]])
    expected = np.stack([(np.diag(row) - np.outer(row, row)) @ d for row, d in zip(y, dy)])
    check(f(dy, y), expected)


def test_split_heads(f):
    x = np.arange(24).reshape(1, 2, 12)
    y = f(x, 3)
    assert np.array_equal(y[0, 0], [[0, 1, 2, 3], [12, 13, 14, 15]])
    assert np.array_equal(y[0, 2], [[8, 9, 10, 11], [20, 21, 22, 23]])


def test_average_backward(f):
    rng = np.random.default_rng(8)
    w, v, dy = rng.random((1, 2, 3)), rng.normal(size=(1, 3, 2)), rng.normal(size=(1, 2, 2))
    keep = np.array([[[0, 2, 2], [2, 0, 2]]]) * 1.0
    dw, dv = f(dy, w, keep, v)
    expected_w, expected_v = np.zeros(w.shape), np.zeros(v.shape)
    for t in range(2):
        for s in range(3):
            expected_w[0, t, s] = keep[0, t, s] * (dy[0, t] @ v[0, s])
            expected_v[0, s] += keep[0, t, s] * w[0, t, s] * dy[0, t]
    check(dw, expected_w)
    check(dv, expected_v)


def test_embedding_backward(f):
    dtable = f(np.ones((1, 3, 4)), np.array([[2, 0, 2]]), 3)
    check(dtable, np.array([[2.0], [0.0], [4.0]]) * np.ones(4))


def test_tied_backward(f):
    rng = np.random.default_rng(9)
    dx, y, dlogits = rng.normal(size=(2, 2, 3)), rng.normal(size=(2, 2, 3)), rng.normal(size=(2, 2, 5))
    expected = np.zeros((5, 3))
    ids = np.array([[4, 0], [0, 3]])
    for b in range(2):
        for t in range(2):
            expected[ids[b, t]] += dx[b, t] * 3**0.5
            for v in range(5):
                expected[v] += dlogits[b, t, v] * y[b, t]
    check(f(dx, ids, dlogits, y), expected)


def guilty_lines():
    return {
        "layer_norm_backward": "along_ones = gain * dy.mean(-1, keepdims=True)",
        "softmax_backward": "    dx = dx / len(dx)",
        "split_heads": "heads = x.reshape(B, n_heads, T, width)",
        "average_backward": "dvalue = weights.swapaxes(-1, -2) @ dy",
        "embedding_backward": "dtable[ids] += dy * np.sqrt(D)",
        "tied_backward": "dtable = dlogits.reshape(-1, V).T @ y.reshape(-1, D)",
    }
""",
    """
def along_a_direction(f, x, dy, dx):
    '''Compare with the slope along a random direction, three times.'''
    rng = np.random.default_rng(0)
    for _ in range(3):
        u = rng.normal(size=x.shape)
        slope = (dy * (f(x + 1e-6 * u) - f(x - 1e-6 * u))).sum() / 2e-6
        if abs((u * dx).sum() - slope) > 1e-5 * (1 + abs(slope)):
            raise AssertionError("another slope")


def test_layer_norm_backward(backward):
    rng = np.random.default_rng(3)
    x, dy, gain, bias = (rng.normal(size=shape) for shape in [(2, 4, 6), (2, 4, 6), 6, 6])
    _, xhat, rstd = layer_norm(x, gain, bias)
    dx, dgain, dbias = backward(dy, xhat, rstd, gain)
    along_a_direction(lambda x: layer_norm(x, gain, bias)[0], x, dy, dx)
    along_a_direction(lambda gain: layer_norm(x, gain, bias)[0], gain, dy, dgain)
    along_a_direction(lambda bias: layer_norm(x, gain, bias)[0], bias, dy, dbias)


def test_softmax_backward(backward):
    x, dy = np.random.default_rng(4).normal(size=(2, 4, 6))
    along_a_direction(softmax, x, dy, backward(dy, softmax(x)))


def test_split_heads(split):
    x = np.random.default_rng(5).normal(size=(2, 3, 8))
    y = split(x, 4)
    back = np.concatenate([y[:, h] for h in range(4)], axis=-1)
    np.testing.assert_array_equal(back, x)


def test_average_backward(backward):
    rng = np.random.default_rng(6)
    w, v, dy = rng.random((2, 3, 4)), rng.normal(size=(2, 4, 2)), rng.normal(size=(2, 3, 2))
    keep = rng.integers(0, 2, (2, 3, 4)) * 2.0
    dw, dv = backward(dy, w, keep, v)
    along_a_direction(lambda w: average(w, keep, v), w, dy, dw)
    along_a_direction(lambda v: average(w, keep, v), v, dy, dv)


def test_embedding_backward(backward):
    rng = np.random.default_rng(7)
    ids, table, dy = rng.integers(0, 3, (2, 5)), rng.normal(size=(4, 3)), rng.normal(size=(2, 5, 3))
    along_a_direction(lambda table: embed(ids, table), table, dy, backward(dy, ids, 4))


def test_tied_backward(backward):
    rng = np.random.default_rng(8)
    ids, table, dx = rng.integers(0, 3, (2, 5)), rng.normal(size=(4, 3)), rng.normal(size=(2, 5, 3))
    y, dlogits = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 4))

    def both(table):
        return np.concatenate([embed(ids, table), generate(table, y)], -1)

    along_a_direction(both, table, np.concatenate([dx, dlogits], -1), backward(dx, ids, dlogits, y))


def guilty_lines():
    return dict(zip(CODE, [6, 5, 5, 5, 5, 6]))
""",
]
