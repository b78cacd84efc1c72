"""Findings before numbers are compared: each check speaks where it should, and only there."""

import dataclasses
import re

import pytest

from npformer_course import course
from npformer_course.case import Case
from npformer_course.check_answer import check_part
from npformer_course.definition import Call
from npformer_course.execution import Answer
from npformer_course.percent_format import Cell
from tests.course.diagnosis.small_exercises import (
    attention,
    edited,
    exercise,
    layer_norm,
    linear,
    loss,
    report,
    said,
)

LAST = "return dx, dw, db"


@pytest.mark.parametrize(
    ("wrong", "part", "id", "text"),
    [
        (
            "return dx, dw",
            "dx",
            "number of results",
            "2 results came, expected 3 results (dx, dw, db)",
        ),
        (
            "return dx",
            "dx",
            "number of results",
            "one result came, expected 3 results (dx, dw, db)",
        ),
        ("pass", "db", "none", "the call gave None"),
        ("return dx, None, db", "dw", "none", "dw is None"),
        (
            "return dx, dw, (v for v in db)",
            "db",
            "no array",
            "db is a generator, and not an array of numbers",
        ),
        ("return 'dx', dw, db", "dx", "no array", "dx is a str, and not an array of numbers"),
        (
            "return np.ma.array(dx, mask=True), dw, db",
            "dx",
            "no array",
            "dx is a masked array, and not an array",
        ),
        (
            "return dx + 0j, dw, db",
            "dx",
            "kind",
            "dx holds numbers (complex128), expected real ones",
        ),
        ("return dw, dx, db", "dx", "exchanged", "dx and dw are exchanged"),
        (
            "return dx, dw.T, db",
            "dw",
            "transposed",
            "(F, D), the transpose of (D, F); transposed back",
        ),
        ("return dx, dw[0], db", "dw", "shape", "dw has the shape (F,), expected (D, F)"),
        (
            "return dx, dw, db[:, None] * db",
            "db",
            "shape",
            "db has the shape (F, F), expected (F,)",
        ),
        (
            "return dx, dw, db[None]",
            "db",
            "shape",
            "db has the shape (1, F), expected (F,); its numbers",
        ),
        (
            "return dx, dw, dy",
            "db",
            "not summed",
            "(B, T, F), expected (F,): it is not summed over B and T",
        ),
        (
            "return dx, dw, dy.sum(0)",
            "db",
            "not summed",
            "(T, F), expected (F,): it is not summed over T",
        ),
        ("return nothing", "dx", "raised NameError", "NameError: name 'nothing' is not defined"),
        ("return dx @ dx, dw, db", "dx", "raised ValueError", " with B = "),
    ],
)
def test_guard_reports_what_the_answer_returned(wrong, part, id, text):
    found = said(linear, part, (LAST, wrong))
    assert (found.kind, found.id) == ("guard", id)
    assert text in found.text and found.question


def test_list_is_accepted_as_tuple():
    assert report(linear, edited(linear, (LAST, "return [dx, dw, db]"))).passed


def test_exception_line_is_reported():
    text = edited(linear, (LAST, "return nothing"))
    found = report(linear, text).parts[1].finding
    line = int(found.text.split("line ")[1].split()[0])
    assert text.split("\n")[line - 1].strip() == "return nothing"


def test_missing_name_of_a_dict_is_asked_about():
    found = said(linear, "dx", (LAST, "return {'w': w}['v'], dw, db"))
    assert "KeyError: 'v'" in found.text and "names in the dict" in found.question


def test_array_that_cannot_be_changed_is_asked_about():
    found = said(linear, "dx", (LAST, "return np.broadcast_to(dx, dx.shape).fill(0), dw, db"))
    assert "read-only" in found.text and "who else uses the numbers" in found.question


def test_exception_in_given_code_reports_calling_line():
    loaded = course.load("masked_attention")
    text = edited(
        loaded, ("masked_softmax(scores, mask)", "masked_softmax(scores, mask[..., :-1])")
    )
    found = report(loaded, text).parts[0].finding
    lines = text.split("\n")
    given, own = re.search(
        r"in line (\d+) \(of masked_softmax, called from your line (\d+)\)", found.text
    ).groups()
    assert "mask[..., :-1]" in lines[int(own) - 1] and lines[int(given) - 1].strip()


def test_exception_in_given_code_reports_the_nearest_of_own_lines():
    loaded = course.load("masked_attention")
    text = edited(loaded, ("masked_softmax(scores, mask)", "weights_of(scores, mask)"))
    text += "\n\ndef weights_of(scores, mask):\n    return masked_softmax(scores, mask[..., :-1])\n"
    found = report(loaded, text).parts[0].finding
    [own] = re.findall(r"\(of masked_softmax, called from your line (\d+)\)", found.text)
    assert "mask[..., :-1]" in text.split("\n")[int(own) - 1]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("return dx if dx > 0 else dy, dw, db", "of which of its entries do you ask"),
        ("return dx + np.ones(99), dw, db", "flush right"),
        ("a, b = db.shape; return dx, dw, db", "How many names stand on the left"),
        ("return dx @ np.ones((99, 2)), dw, db", "Which two axes meet"),
        ("return dx.reshape(7, 99), dw, db", "how many fit into the shape"),
        ("return linear(x), dw, db", "Which arguments does the function"),
        ("return max(()), dw, db", "nothing to choose from"),
        ("return np.einsum('ab,bc', dx, dx), dw, db", "does your pattern have letters"),
        ("return np.concatenate([dx, dx[..., :1]]), dw, db", "are the arrays of that line joined"),
        ("return np.array([dx, dw], float), dw, db", "goes into that array"),
        ("return dict(zip('ab', 'abc', strict=True)), dw, db", "go side by side"),
        ("return float('x'), dw, db", "which value can it not work with"),
        ("return dx[99], dw, db", "How long is each axis"),
        ("return 1 + 'x', dw, db", "which is not what you thought"),
        ("return 1 / 0, dw, db", "when it is reached"),
    ],
)
def test_question_matches_exception(wrong, words):
    found = said(linear, "dx", (LAST, wrong))
    assert words in found.question
    assert "(here B = " in found.text or " with B = " in found.text


@pytest.mark.parametrize(
    ("setup", "which"),
    [
        ("2 - len(calls) % 2", "the first call is right, but a second one"),
        ("len(calls)", "a second call"),
    ],
)
def test_second_call_with_different_result_is_reported(setup, which):
    state = ("def linear(", "calls = []\n\ndef linear(")
    found = said(
        linear,
        "y",
        state,
        ("return x @ w + b", f"calls.append(1)\n    return (x @ w + b) * ({setup})"),
    )
    text = f"{which} with the same inputs gives something else"
    assert (found.id, found.text) == ("second call", text)


@pytest.mark.parametrize(
    ("answer", "id", "text"),
    [
        (
            Answer("timeout", error="no end after 1 s"),
            "timeout",
            "the call came to no end after 1 s",
        ),
        (
            Answer("died", error="the process ended with status 1"),
            "died",
            "gave no answer: the process ended with",
        ),
        (
            Answer("raised", error="SyntaxError: '(' was never closed", place="line 3"),
            "raised SyntaxError",
            "loaded: line 3",
        ),
    ],
)
def test_reason_for_missing_answer_is_reported(answer, id, text):
    part = check_part(Case(linear, 0), linear.call("backward"), 0, [answer] * 3, lambda jobs: [])
    assert part.finding.id == id and text in part.finding.text and part.finding.question


def test_correct_float32_answer_passes_without_remark():
    found = report(
        layer_norm, layer_norm.key.replace("return rstd", "return rstd.astype(np.float32)")
    )
    wide = report(linear, edited(linear, ("x @ w + b", "x @ w + b + np.zeros(1)")))
    assert (
        found.passed
        and wide.passed
        and not any(part.finding.text for part in [*found.parts, *wide.parts])
    )


@pytest.mark.parametrize(
    "value",
    [
        "np.float64(1)",
        "3",
        "'text'",
        "None",
        "{}",
        "[[1, 2], [3]]",
        "np.array(['a'])",
        "np.zeros((0, 3))",
        "10.0**400",
    ],
)
def test_any_returned_value_gets_a_finding(value):
    for part in report(
        linear, edited(linear, (LAST, f"value = {value}; return value, value, value"))
    ).parts[1:4]:
        assert part.outcome in ("wrong", "error") and part.finding.text


@pytest.mark.parametrize(
    ("line", "names"),
    [("dy *= 2", "dy is"), ("dy *= 2; x[0] = 0", "dy and x are"), ("dy[0] = np.nan", "dy is")],
)
def test_modified_inputs_are_named(line, names):
    parts = report(
        linear, edited(linear, (LAST, f"{LAST.replace('return', 'r =')}; {line}; return r"))
    ).parts
    assert (
        parts[-1].points == 0
        and parts[-1].finding.text == f"after the call {names} no longer what came in"
    )


def state_inputs(draw, D):
    return {"old_state": {"m": [draw.normal(D), draw.normal(D)], "w": draw.normal(D)}, "n": 2}


def doubled(student, old_state, n):
    return student.doubled(old_state, n)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("state['m'][0] *= n", "state['m'] (an array in it has changed) is"),
        ("state['m'][1] = state['w']", "state['m'] (it holds another array) is"),
        (
            "state = dict(state); state['m'][1] = state['w']",
            "state['m'] (it holds another array) is",
        ),
        ("state['w'] *= n", "state['w'] is"),
        ("state['w'] = n", "state['w'] is"),
        ("state['w'] *= n; state['m'].pop()", "state['m'] and state['w'] are"),
        ("state['new'] = n", "state is"),
    ],
)
def test_modified_container_is_named_with_its_place(line, names):
    body = "def doubled(state, n):\n    w = n * state['w']\n    return w"
    small = exercise("doubled", body, state_inputs, [Call(doubled, {"w": 1})])
    last = report(small, edited(small, ("    return w", f"    {line}\n    return w"))).parts[-1]
    assert last.finding.text == f"after the call {names} no longer what came in"
    assert ("copy of a dict" in last.finding.question) == ("holds another" in names)


@pytest.mark.parametrize(
    ("id", "edit"),
    [
        ("adam", ("m = m * beta1 + ", "m *= beta1; m += ")),
        ("training_step", ("    return loss\n", "    ids[:, 0] = 0\n    return loss\n")),
        (
            "cross_attention_backward",
            ("in reversed(backwards)", "in [backwards.pop() for _ in [*backwards]]"),
        ),
    ],
)
def test_modified_arrays_in_state_cost_the_point(id, edit):
    last = report(course.load(id), edited(course.load(id), edit)).parts[-1]
    assert last.points == 0 and last.finding.text.endswith("no longer what came in")


def test_nan_and_infinity_are_reported_at_an_entry():
    found = said(
        attention,
        "weights",
        ("weights @ v, weights", "weights @ v, np.where(mask, weights, np.nan)"),
    )
    assert re.match(
        r"at \[.*\] your weights has NaN, expected 0; \d+ of \d+ entries differ", found.text
    )
    assert found.id == "NaN" and "a division by 0" in found.question
    found = said(loss, "loss", ("return -(", "return np.inf * ("))
    assert re.match(r"your loss has -?inf, expected [\d.]+$", found.text) and found.id == "infinity"


def ids_inputs(draw, N):
    # three or more of one kind, and two of another
    ids = [1] * int(draw.rng.integers(3, 9)) + [2, 2]
    return {"some_ids": ids}


def ones(student, some_ids):
    return student.ones(some_ids)


@pytest.mark.parametrize(
    ("result", "id", "text"),
    [
        ("ids", "unchanged", r"ones is ids, unchanged: it has \d+ entries, expected \d+"),
        ("ids[1:]", "shape", r"ones has \d+ entries, expected \d+"),
        ("[ids]", "shape", r"ones has the shape \(1, \d+\), expected \(\d+,\)"),
    ],
)
def test_length_of_a_list_is_said(result, id, text):
    body = "def ones(ids):\n    return [i for i in ids if i == 1]"
    small = exercise("ones", body, ids_inputs, [Call(ones, {"ones": 1})])
    small = dataclasses.replace(small, cells=(Cell("# # Ones", markdown=True), small.cells[1]))
    found = said(small, "ones", ("[i for i in ids if i == 1]", result))
    # a size of the draw, N, is not in the text of this exercise, so that it is not named
    assert found.id == id and re.fullmatch(text, found.text)


def test_large_inputs_are_named_where_nan_came():
    # not the known mistake, which names the rows
    answer = "def masked_softmax(x, mask):\n    e = np.exp(x) * mask\n    return e / (1 + e.sum(-1)[..., None])"
    one = course.load("masked_softmax")
    text = report(one, f"{one.key}\n\n{answer}").parts[0].finding.text
    assert re.search(r"your y has NaN.*; x has numbers from -\S+ to \S+$", text)


def two_arrays(draw, B, D):
    return {"x": draw.normal(B, D), "z": draw.normal(B, 2 * D)}


def result_of(student, x, z):
    return student.result(x, z)


@pytest.mark.parametrize(
    ("right", "wrong", "id", "text"),
    [
        (
            "x.mean(0)",
            "x + 0",
            "not averaged",
            r"y has the shape \(B, D\), expected \(D,\): it is not averaged over B",
        ),
        # no letter stands for the length of the axis
        (
            "z.sum(1)",
            "z + 0",
            "not summed",
            r"y has the shape \(\d+, \d+\), expected \(\d+,\): it is not summed over axis 1",
        ),
        ("x > 0", "1.0 * (x > 0)", "kind", r"y holds numbers \(float64\), expected True and False"),
    ],
)
def test_what_is_wrong_with_a_small_result_is_said(right, wrong, id, text):
    body = f"def result(x, z):\n    return {right}"
    small = exercise("small", body, two_arrays, [Call(result_of, {"y": 1})])
    found = said(small, "y", (f"return {right}", f"return {wrong}"))
    assert found.id == id and re.fullmatch(text, found.text)
