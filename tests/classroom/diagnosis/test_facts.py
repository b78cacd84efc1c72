"""Facts about wrong numbers: each is said where it holds, and not where it nearly does."""

import dataclasses
import re

import pytest
from small_exercises import (
    attention,
    dropout,
    edited,
    embedding,
    exercise,
    heads,
    layer_norm,
    linear,
    loss,
    report,
    said,
    softmax,
    squares,
)

from npformer.classroom import index as course
from npformer.classroom.exercise import Call

DB, SPLIT = "dy.sum((0, 1))", "x.reshape(B, T, n, D // n).transpose(0, 2, 1, 3)"
DX, ALL = "return rstd * (", "y * dy - y * (y * dy).sum(-1, keepdims=True)"
KEEP = "weights @ v, weights"

SAID = [
    # a factor, by its name
    (linear, "db", (DB, f"{DB} / dy.shape[0]"), "factor 1/B", "as if a mean over B had been taken"),
    (linear, "db", (DB, f"{DB} / dy.shape[1]"), "factor 1/T", "as if a mean over T had been taken"),
    (linear, "db", (DB, "dy.mean((0, 1))"), "factor 1/(B * T)", "as if a mean over B and T had been taken"),
    (linear, "db", (DB, "-dy.mean((0, 1))"), "minus factor 1/(B * T)", "for the sign and a factor 1/(B * T)"),
    (linear, "db", (DB, f"{DB} * len(dy)"), "factor B", "as if no mean but a sum over B had been taken"),
    (linear, "db", (DB, f"-{DB}"), "sign", "has the wrong sign, and is right otherwise"),
    (linear, "db", (DB, f"2 * {DB}"), "factor 2", "is right but for a factor 2"),
    (linear, "db", (DB, f"{DB} / 2"), "factor 1/2", "is right but for a factor 1/2"),
    (linear, "db", (DB, f"1.7 * {DB}"), "factor", "is right but for a factor 1.7"),
    (linear, "db", (DB, f"abs(x[0, 0, 0]) * {DB}"), "factor", "one factor, which differs from draw to draw"),
    (linear, "dx", ("dy @ w.T", "dy @ w.T / dy.shape[-1]"), "factor 1/F", "is right but for a factor 1/F"),
    (linear, "dx", ("dy @ w.T", "dy @ w.T / np.sqrt(x.shape[-1])"), "factor 1/sqrt(D)", "a factor 1/sqrt(D)"),
    (linear, "dx", ("dy @ w.T", "dy @ w.T / dy.size"), "factor 1/(B * T * F)", "a factor 1/(B * T * F)"),
    (linear, "y", ("x @ w + b", "(x @ w + b) * b.size / x.shape[-1]"), "factor F/D", "a factor F/D"),
    (dropout, "dx", (" / (1 - p)", ""), "factor (1 - p)", "a factor (1 - p)"),
    (dropout, "dx", (" / (1 - p)", " / p * (1 - p)"), None, "factor"),
    (embedding, "dtable", (" * np.sqrt(dy.shape[-1])", ""), "factor 1/sqrt(D)", "a factor 1/sqrt(D)"),
    (loss, "loss", (" / real.sum()", ""), "factor the number of real tokens", "a factor the number of real tokens"),
    (loss, "loss", ("return -(", "return ("), "sign", "has the wrong sign"),
    # an array as a factor
    (layer_norm, "dx", (DX, "return gain * rstd * ("), "times gain", "is the right one times gain"),
    (layer_norm, "dx", (DX, "return rstd**3 * ("), "times rstd twice", "is the right one times rstd twice"),
    (softmax, "dx", ("y * dy - y * (", "dy - ("), "divided by y", "is the right one divided by y"),
    (linear, "y", ("x @ w + b", "(x @ w + b) * b"), "times b", "is the right one times b"),
    # terms
    (layer_norm, "dx", ("- along_ones", "+ along_ones"), "term: the mean of dxhat has the wrong sign", "is a sum in"),
    (layer_norm, "dx", ("- along_ones", "- 2 * along_ones"), "term: the mean of dxhat stands twice", "stands twice"),
    (
        layer_norm,
        "dx",
        ("along_xhat), d", "along_xhat * gain.size), d"),
        "term: the projection on xhat has a factor D",
        "D",
    ),
    (
        layer_norm,
        "dx",
        ("along_xhat), d", "along_xhat * -(gain.size**0.5)), d"),
        "term: the projection on xhat has the wrong sign and a factor sqrt(D) too many",
        "",
    ),
    (
        layer_norm,
        "dx",
        ("- along_ones - xhat * along_xhat", "+ 2 * along_ones - xhat * along_xhat / gain.size"),
        "term: the mean of dxhat stands 2 times, with the wrong sign, the projection on xhat has a factor 1/D",
        "",
    ),
    (softmax, "dx", ("sum(-1", "mean(-1"), "term: the sum over the row has a factor 1/D", "too many"),
    (softmax, "dx", (" - y * (y * dy).sum(-1, keepdims=True)", ""), "term: the sum over the row is missing", ""),
    # the right numbers elsewhere, or other numbers
    (
        heads,
        "heads",
        (SPLIT, "x.reshape(B, n, T, D // n)"),
        "reshaped",
        "axes in the order (B, T, H, K), read row by row",
    ),
    (heads, "heads", (SPLIT, f"{SPLIT}[:, :, ::-1]"), "reversed", "read backwards along axis 2 (T)"),
    (heads, "heads", (SPLIT, "x.reshape(B, T, D // n, n).transpose(0, 3, 1, 2)"), "other places", "in other places"),
    (heads, "heads", (SPLIT, f"np.roll({SPLIT}, 1, 2)"), "moved by one", "right numbers of the one before"),
    (linear, "dx", ("dy @ w.T", "np.broadcast_to((dy @ w.T).sum(1, keepdims=True), x.shape)"), "sum everywhere", "(T)"),
    (
        linear,
        "dx",
        ("dy @ w.T", "np.broadcast_to((dy @ w.T).mean(1, keepdims=True), x.shape)"),
        "mean everywhere",
        "(T)",
    ),
    (linear, "dx", ("dy @ w.T", "x"), "is x", "is x, unchanged"),
    (linear, "dx", ("dy @ w.T", "dy @ w.T - x"), "minus x", "is the right one minus x"),
    (linear, "y", ("x @ w + b", "x @ w + 2 * b"), "plus b", "is the right one plus b"),
    (linear, "dx", ("dy @ w.T", "0 * x"), "zeros", "is 0 everywhere"),
    (linear, "db", (DB, f"{DB} + 1"), "off by a number", "is 1 too large everywhere"),
    (loss, "loss", (" / real.sum(), np", " / real.sum() + 0.1, np"), "off by a number", "is 0.1 too large"),
    # nearly right
    (linear, "dx", ("dy @ w.T", "(dy @ w.T) * (1 + 1e-5)"), "close", "is right to 5 digits"),
    (linear, "dx", ("dy @ w.T", "(dy @ w.T).round(5)"), "close", "digits of its largest entry"),
    (linear, "dx", ("dy @ w.T", "(1e3 + dy.astype('f4') @ w.T.astype('f4')) - 1e3"), "close", "digits of its largest"),
    # wrong only in places
    (
        attention,
        "weights",
        (KEEP, "weights @ v, np.where(mask, weights, 0.1)"),
        "only where the mask is False",
        "mask is",
    ),
    (
        attention,
        "y",
        (KEEP, "weights @ v + ~mask.any(-1, keepdims=True), weights"),
        "only in rows without any True",
        "rows",
    ),
    (
        embedding,
        "dtable",
        ("np.add.at(dtable, ids, dy)", "dtable[ids] += dy"),
        "only at repeated ids",
        "more than once",
    ),
    (embedding, "dtable", ("    dtable[0] = 0\n", ""), "only in the row of padding", "in the row of id 0"),
    (loss, "picked", ("np.where(real, picked, 1.0)", "picked"), "only at padding", "where ids has id 0"),
    (dropout, "dx", (" * kept", ""), "only where the mask is False", "where kept is False"),
    (linear, "dx", ("return dx,", "dx[:, -1] = 0\n    return dx,"), "only at the last position", "; 0 came there"),
    (
        linear,
        "dx",
        ("return dx,", "dx[:, 0] += 1\n    return dx,"),
        "only at the first position",
        "at the first position",
    ),
    (linear, "dx", ("return dx,", "dx[:-1] += 1\n    return dx,"), "only before the last sentence", "before the last"),
    (
        heads,
        "heads",
        (f"return {SPLIT}", f"y = 1 * {SPLIT}; y[:, 1] = 0; return y"),
        "only at one head",
        "at head 1 (counted",
    ),
    (
        heads,
        "heads",
        (f"return {SPLIT}", f"y = 1 * {SPLIT}; y[:, 1:] *= 2; return y"),
        None,
        "only after the first head",
    ),
    (squares, "dx", ("return x @", "return 2 * np.eye(len(x)) + x @"), "only on the diagonal", "only on the diagonal"),
    (squares, "dx", ("return x @", "return np.triu(x + 1, 1) + x @"), "only above the diagonal", "above the diagonal"),
    (squares, "dx", ("return x @ w", "return w.T @ x.T"), "transposed", "is the transpose of the right one"),
]
NOT_SAID = [
    # the factor of another size, a factor nearly constant, a factor in one part of the array only
    (linear, "db", (DB, "dy.mean((0, 1)) * 1.0001"), "factor 1/"),
    (linear, "db", (DB, f"{DB} / 2 + 1e-4"), "factor"),
    (linear, "db", (DB, f"{DB} / np.array([2, *[3] * (dy.shape[-1] - 1)])"), "factor"),
    (linear, "db", (DB, f"{DB} + 1e-5 * {DB}[::-1]"), "factor"),
    (linear, "db", (DB, f"({DB}) * (1 + 5e-6)"), "factor"),
    (linear, "db", (DB, f"-abs({DB})"), "sign"),
    # another array, nearly
    (layer_norm, "dx", (DX, "return (gain + 1e-3) * rstd * ("), "times"),
    (layer_norm, "dx", (DX, "return rstd**2.99 * ("), "times"),
    (linear, "dx", ("dy @ w.T", "x + 1e-3"), "is x"),
    (linear, "y", ("x @ w + b", "x @ w + 1.9 * b"), "plus"),
    (linear, "db", (DB, f"{DB} + 1 + 0.01 * {DB}"), "off by"),
    # no whole number of terms
    (layer_norm, "dx", ("- along_ones", "- 1.9 * along_ones"), "term"),
    (layer_norm, "dx", (DX, "return rstd * (0.01 * xhat**2 +"), "term"),
    (softmax, "dx", ("sum(-1", "sum(1"), "term"),
    # numbers that moved, but not all
    (heads, "heads", (SPLIT, f"{SPLIT}[:, :, ::-1] + 1e-3"), "reversed"),
    (heads, "heads", (SPLIT, f"np.roll({SPLIT}, 1, 2) * 1.001"), "moved"),
    (heads, "heads", (SPLIT, "x.reshape(B, n, T, D // n) + 1e-3"), "reshaped"),
    (heads, "heads", (SPLIT, f"np.roll({SPLIT}, 1, 2).round(2)"), "other places"),
    # wrong there, but elsewhere too
    (attention, "weights", (KEEP, "weights @ v, np.where(mask, weights * 1.001, 0.1)"), "only where the mask"),
    (attention, "y", (KEEP, "weights @ v + 1e-3 + ~mask.any(-1, keepdims=True), weights"), "only in rows"),
    (
        embedding,
        "dtable",
        ("np.add.at(dtable, ids, dy)", "np.add.at(dtable, ids, dy * 1.01); dtable[ids] += dy"),
        "only",
    ),
    (dropout, "dx", (" * kept", " * (kept + 0.01)"), "only where the mask"),
    (linear, "dx", ("return dx,", "dx[:, -2:] = 0\n    return dx,"), "only at the last"),
    (
        heads,
        "heads",
        (f"return {SPLIT}", f"y = 1 * {SPLIT}; y[:, 1] = 0; y[0, 0, 0] = 1; return y"),
        "only at one head",
    ),
    (squares, "dx", ("return x @", "return 2 * np.eye(len(x)) + 1e-3 + x @"), "only on the diagonal"),
    # nothing right is left where it is said to be right
    (dropout, "dx", (" / (1 - p)", " / (1 - p * np.abs(dy))"), "only where the mask is True"),
]


@pytest.mark.long
@pytest.mark.parametrize(("exercise", "part", "edit", "id", "text"), SAID, ids=[f"{row[1]} {row[3]}" for row in SAID])
def test_a_fact_is_said_on_every_seed(exercise, part, edit, id, text):
    for seed in range(3):
        found = said(exercise, part, edit, seed=seed)
        assert found.kind == "fact" and found.question
        assert found.id.startswith(id or "") and text in found.text and found.text.startswith(f"{part} ")


@pytest.mark.long
@pytest.mark.parametrize(("exercise", "part", "edit", "id"), NOT_SAID, ids=[f"{row[1]} {row[3]}" for row in NOT_SAID])
def test_what_holds_only_nearly_is_not_said(exercise, part, edit, id):
    for seed in range(3):
        assert not said(exercise, part, edit, seed=seed).id.startswith(id)


@pytest.mark.long
def test_of_numbers_laid_end_to_end_no_index_is_told():
    edit = ("    return loss\n", "    model.parameters()[-1].data[-1] += 1\n    return loss\n")
    for seed in range(2):
        found = said(course.load("training_step"), "parameters, not clipped", edit, seed=seed)
        assert "index" not in found.text
        assert re.search(r" has \S+, expected \S+ at \[\d(, \d)?\] of the (table|weight|bias); ", found.text)
    edit = ("    return loss\n", "    return np.sin(loss) + (optimizer.t > 1)\n")
    [part] = [
        p
        for p in report(course.load("training_step"), edited(course.load("training_step"), edit)).parts
        if p.name == "losses"
    ]
    assert part.numbers.startswith("at the ") and "[" not in part.numbers


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("rstd * (dxhat - xhat * along_xhat)", "which of them have you followed"),
        ("rstd * (dxhat - 2 * along_ones - xhat * along_xhat)", "How often does the formula have this term"),
        ("rstd * (dxhat + along_ones - xhat * along_xhat)", "Which sign"),
        ("rstd * (dxhat - along_ones - xhat * along_xhat / gain.size)", "By what is this term multiplied"),
    ],
)
def test_the_question_about_a_term_fits_what_is_wrong_with_it(wrong, words):
    small = dataclasses.replace(layer_norm, mistakes=())
    found = said(small, "dx", ("rstd * (dxhat - along_ones - xhat * along_xhat)", wrong))
    assert found.id.startswith("term") and words in found.question


def test_what_only_luck_has_kept_to_repeated_ids_is_not_told():
    for seed in range(12):
        found = said(embedding, "dtable", ("dtable[0] = 0", "dtable[-1] = 0"), seed=seed)
        assert "only" not in found.text


def test_what_is_wrong_here_and_there_is_not_said_to_be_wrong_at_a_place():
    def counted(student, x):
        return student.counted(x)

    body = "def counted(x):\n    return np.where(x.sum(-1) > 2, 9, 0.1) * np.cos(x[:, 0])"
    small = exercise("small", body, numbers, [Call(counted, {"y": 1})])
    for seed in (3, 8, 12, 15, 25, 26, 27, 33):
        assert said(small, "y", ("> 2, 9", "> 2, 0.1"), seed=seed).kind == "numbers"


def numbers(draw, B, D):
    return {"x": draw.normal(B, D)}


def test_that_the_first_sentence_of_a_draw_has_no_padding_is_no_reason():
    def looked_up(student, ids, w):
        return student.looked_up(ids, w)

    def ids_and_vectors(draw, B, T, V):
        return {"ids": draw.ids(B, T, vocab_size=V), "w": draw.normal(V)}

    body = "def looked_up(ids, w):\n    return w[ids]"
    small = exercise("small", body, ids_and_vectors, [Call(looked_up, {"y": 1})], sizes={"T": (4, 8)})
    wrong = ("w[ids]", "np.where((ids == 0).any(-1, keepdims=True), np.cos(w[ids]), w[ids])")
    for seed in range(4):
        assert "first sentence" not in said(small, "y", wrong, seed=seed).text


def test_a_factor_that_a_single_number_has_most_of_the_time_is_not_told():
    def drawn(draw, B):
        return {"share": float(draw.rng.uniform(0, 1))}

    def height(student, share):
        return student.height(share)

    small = exercise("small", "def height(share):\n    return 1 + share", drawn, [Call(height, {"y": 1})])
    said_of_all = []
    for seed in range(25):
        found = said(small, "y", ("return 1 + share", "return (1 + share) * (2 if share < 0.8 else 3)"), seed=seed)
        said_of_all.append("factor" in found.text)
    assert not any(said_of_all)
    assert "factor 2" in said(small, "y", ("return 1 + share", "return (1 + share) * 2")).id
