"""What is seen before any number is compared: each guard speaks where it should, and is silent beside it."""

import dataclasses
import re

import pytest
from small_exercises import attention, edited, exercise, heads, layer_norm, linear, loss, report, said, softmax

from npformer.classroom import index as course
from npformer.classroom.execution import Answer
from npformer.classroom.exercise import Call
from npformer.classroom.exercise_at_seed import Case, by_call
from npformer.classroom.grade import WIDENED, check_part, run_here

LAST = "return dx, dw, db"


@pytest.mark.parametrize(
    ("wrong", "part", "id", "text"),
    [
        ("return dx, dw", "dx", "number of results", "2 results came, expected 3 (dx, dw, db)"),
        ("return dx", "dx", "number of results", "one array came, expected 3 results (dx, dw, db)"),
        ("return [dx, dw, db]", "dw", "number of results", "a list came, expected 3 results (dx, dw, db)"),
        ("pass", "db", "none", "the call gave None"),
        ("return dx, None, db", "dw", "none", "dw is None"),
        ("return dx, dw, (v for v in db)", "db", "no array", "db is a generator, and no array of numbers"),
        ("return 'dx', dw, db", "dx", "no array", "dx is a str, and no array of numbers"),
        ("return dw, dx, db", "dx", "exchanged", "dx and dw are exchanged"),
        ("return dx, dx, db", "dw", "another result", "dw is what dx should be"),
        (
            "return dx, dw.T, db",
            "dw",
            "transposed",
            "dw has the shape (F, D), the transpose of (D, F); transposed back",
        ),
        ("return dx, dw[0], db", "dw", "axis is lacking", "dw has the shape (F,), expected (D, F): axis 0 is lacking"),
        ("return dx, dw, db[:, None] * db", "db", "shape", "db has the shape (F, F), expected (F,)"),
        (
            "return dx, dw, db[None]",
            "db",
            "axes of length 1",
            "db has the shape (1, F), expected (F,); its numbers are",
        ),
        ("return dx, dw, dy", "db", "not summed", "(B, T, F), expected (F,): it is not summed over B and T"),
        ("return dx, dw, dy.sum(0)", "db", "not summed", "(T, F), expected (F,): it is not summed over T"),
        ("return dx, dw * 1j, db", "dw", "kind", "dw holds complex numbers (complex128), expected floats"),
        ("return dx, dw, db.astype(int)", "db", "kind", "db holds whole numbers (int64), expected floats"),
        ("return dx * np.nan, dw, db", "dx", "NaN", "dx is NaN everywhere"),
        ("return dx / 0, dw, db", "dx", "infinity", "dx is infinite everywhere"),
        ("dx[0, 0, 0] = np.inf; return dx, dw, db", "dx", "infinity", "entries, such as [0, 0, 0]"),
        ("return nothing", "dx", "raised NameError", "NameError: name 'nothing' is not defined"),
        ("return dx @ dx, dw, db", "dx", "raised ValueError", " with B = "),
        ("dy *= 2; return dx + dy.sum(), dw, db", "dx", "input_changed", "dy is no longer what came in"),
    ],
)
def test_a_guard_says_what_came(wrong, part, id, text):
    found = said(linear, part, (LAST, wrong))
    assert (found.kind, found.id) == ("guard", id)
    assert text in found.text and found.question


def test_the_line_of_an_exception_is_told():
    text = edited(linear, (LAST, "return nothing"))
    found = report(linear, text).parts[1].finding
    line = int(found.text.split("line ")[1].split()[0])
    assert text.split("\n")[line - 1].strip() == "return nothing"


def test_what_a_second_call_gives():
    state = ("def linear(", "calls = []\n\ndef linear(")
    grows = ("return x @ w + b", "calls.append(1)\n    return (x @ w + b) * (1 + len(calls) % 2)")
    assert said(linear, "y", state, (grows[0], grows[1].replace("1 + len(calls) % 2", "len(calls)"))).text.startswith(
        "a second call with the same inputs"
    )
    first_right = grows[1].replace("1 + len(calls) % 2", "2 - len(calls) % 2")
    found = said(linear, "y", state, (grows[0], first_right))
    assert found.id == "second call" and found.text.startswith("the first call is right, but a second one")


def test_nan_where_the_mask_leaves_nothing():
    found = said(attention, "weights", ("np.where(total == 0, 1, total)", "total"))
    assert found.id == "NaN empty row" and "in the rows in which mask has no True, and only there" in found.text


def test_nan_where_the_mask_is_false():
    found = said(attention, "weights", ("weights @ v, weights", "weights @ v, np.where(mask, weights, np.nan)"))
    assert found.id == "NaN where the mask is False"


def test_nan_elsewhere_is_not_said_to_come_from_the_mask():
    found = said(
        attention, "weights", ("weights @ v, weights", "weights @ v, np.where(weights > 0.5, np.nan, weights)")
    )
    assert found.id == "NaN" and "mask" not in found.text


def test_overflow_of_exp():
    def large(draw, B, T, D):
        y = draw.normal(B, T, D)
        y[0, 0, 0] = 1000
        return {"y": y, "dy": draw.dy(B, T, D)}

    exercise = dataclasses.replace(softmax, inputs=large, terms={})
    found = said(exercise, "dx", ("return y", "return np.exp(y) / np.exp(y).sum(-1, keepdims=True) * y"))
    assert found.id == "NaN overflow" and "where exp overflows" in found.text


def test_an_order_of_four_axes():
    found = said(heads, "heads", (".transpose(0, 2, 1, 3)", ""))
    assert found.text.startswith("heads has the shape (B, T, H, K), in another order than (B, H, T, K)")


def test_a_shape_that_fits_no_letter_is_told_in_numbers():
    found = said(linear, "dx", (LAST, "return np.zeros((3, 99)), dw, db"))
    assert found.text.startswith("dx has the shape (3, 99), expected (B, T, D)")
    found = said(linear, "dx", (LAST, "return dx[:, 1:, 0], dw, db"), seed=1)
    assert "(with B = " in found.text and "(B" not in found.text
    assert said(linear, "dw", (LAST, "return dx, np.zeros(()), db")).text.startswith(
        "dw has the shape (), expected (D, F)"
    )


@pytest.mark.parametrize(
    ("answer", "id", "text"),
    [
        (Answer("timeout"), "timeout", "had not ended when the time was up"),
        (Answer("timeout", error="no end after 1 s"), "timeout", "the call came to no end after 1 s"),
        (Answer("died", error="out of memory"), "died", "the process ended before the call did: out of memory"),
        (Answer("raised", error="SyntaxError: '(' was never closed", line=3), "raised SyntaxError", "loaded: line 3"),
    ],
)
def test_what_happened_instead_of_an_answer(answer, id, text):
    case = Case(linear, 0)
    call = linear.call("backward")
    part = check_part(case, call, 0, {"backward": [answer] * 3}, lambda jobs: [])
    assert part.finding.id == id and text in part.finding.text and part.finding.question


def test_one_draw_that_fails_is_told_with_its_sizes():
    case = Case(linear, 0)
    answers = by_call(case, run_here(linear, linear.key, case.jobs).answers)["backward"]
    part = check_part(
        case, linear.call("backward"), 0, {"backward": [*answers[:2], Answer("timeout")]}, lambda jobs: []
    )
    assert part.outcome == "timeout" and "B = 4, T = 4, D = 4, F = 4" in part.finding.text


def test_a_result_that_grows_wider_than_its_inputs_costs_nothing_but_is_told():
    warned = report(linear, edited(linear, ("x @ w + b", "x @ w + b + np.zeros(1)")))
    assert warned.passed and [part.warnings for part in warned.parts] == [(WIDENED,), (), (), (), ()]
    assert not any(part.warnings for part in report(linear, linear.key).parts)
    wrong = report(linear, edited(linear, ("x @ w + b", "x @ w + np.zeros(1)")))
    assert not any(part.warnings for part in wrong.parts)


def test_the_right_answer_in_float32_is_right():
    assert report(layer_norm, layer_norm.key.replace("return rstd", "return rstd.astype(np.float32)")).passed


@pytest.mark.parametrize(
    "value",
    ["np.float64(1)", "3", "'text'", "None", "{}", "[[1, 2], [3]]", "np.array(['a'])", "np.zeros((0, 3))", "10.0**400"],
)
def test_whatever_comes_something_is_said(value):
    for part in report(linear, edited(linear, (LAST, f"value = {value}; return value, value, value"))).parts[1:4]:
        assert part.outcome in ("wrong", "error") and part.finding.text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("return dx if dx > 0 else dy, dw, db", "of which of its entries do you ask"),
        ("return np.array([[1, 2], [3]]), dw, db", "which lengths do they have"),
        ("return dx + np.ones(99), dw, db", "flush right"),
        ("a, b = db.shape; return dx, dw, db", "How many names stand on the left"),
        ("return dx @ np.ones((99, 2)), dw, db", "Which two axes meet"),
        ("return dx.reshape(7, 99), dw, db", "how many fit into the shape"),
        ("return linear(x), dw, db", "Which arguments does the function"),
        ("n = np.arange(3); n += 0.5; return dx, dw, db", "Of which kind are the numbers"),
    ],
)
def test_the_question_fits_the_message(wrong, words):
    found = said(linear, "dx", (LAST, wrong))
    assert (words in found.question and "(here B = " in found.text) or " with B = " in found.text


def test_an_exception_in_given_code_names_the_line_that_called_it():
    loaded = course.load("attention")
    text = edited(loaded, ("masked_softmax(scores, mask)", "masked_softmax(scores, mask[..., :-1])"))
    found = report(loaded, text).parts[0].finding
    lines = text.split("\n")
    given, own = re.search(r"in line (\d+) \(of masked_softmax, called from your line (\d+)\)", found.text).groups()
    assert "mask[..., :-1]" in lines[int(own) - 1] and lines[int(given) - 1].strip()
    alone = report(loaded, edited(loaded, ("masked_softmax(scores, mask)", "masked(scores)"))).parts[0].finding
    assert "called from" not in alone.text


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("dy *= 2", "dy is no longer what came in: dy by up to 1 of the largest entry"),
        ("dy += 3e-16 * abs(dy).max()", "dy is no longer what came in, though in the last bits only"),
        ("dy += 3e-16 * abs(dy).max(); x[0] = 0", "dy and x are no longer what came in: dy by up to"),
        ("dy *= 2; x[0] = 0", "dy and x are no longer what came in: dy by up to 1 and x by up to"),
        ("dy[0] = np.nan", "dy is no longer what came in"),
    ],
)
def test_how_much_an_input_changed_is_told(line, text):
    parts = report(linear, edited(linear, (LAST, f"{LAST.replace('return', 'r =')}; {line}; return r"))).parts
    assert parts[-1].points == 0 and parts[-1].finding.text.startswith(f"after the call {text}")


def test_what_lists_and_dicts_hold_is_looked_at_too():
    def inputs(draw, B, D):
        return {"state": {"m": [draw.normal(B, D)], "t": 1}}

    def step(student, state):
        return student.step(state)

    small = exercise("small", "def step(state):\n    return 2 * state['m'][0]", inputs, [Call(step, {"m": 1})])
    assert report(small, small.key).passed
    parts = report(small, edited(small, ("return 2 * state['m'][0]", "m = state['m'][0]; m *= 2; return m"))).parts
    assert [part.outcome for part in parts] == ["right", "wrong"]
    assert parts[1].finding.text.startswith("after the call state is no longer what came in")


@pytest.mark.parametrize(
    ("id", "edit", "name"),
    [
        ("adam", ("m = m * beta1 + ", "m *= beta1; m += "), "state"),
        ("adam", ("moved.append(p - lr", "p -= lr"), "parameters"),
        ("training_step", ("    return loss\n", "    ids[:, 0] = 0\n    return loss\n"), "ids"),
    ],
)
def test_arrays_inside_of_a_state_that_are_changed_cost_the_point(id, edit, name):
    loaded = course.load(id)
    edits = [edit]
    if "p -=" in edit[1]:
        edits = [
            (
                "moved.append(p - lr * m_hat / (np.sqrt(v_hat) + eps))",
                "p -= lr * m_hat / (np.sqrt(v_hat) + eps); moved.append(p)",
            )
        ]
    parts = report(loaded, edited(loaded, *edits)).parts
    assert parts[-1].points == 0
    assert re.match(rf"after the call {name} is no longer what came in: {name} by", parts[-1].finding.text)


def test_nan_in_some_of_the_places_is_not_said_to_be_there_always():
    half = "np.where(mask | (np.arange(mask.shape[-1]) > 1), weights, np.nan)"
    found = said(attention, "weights", ("weights @ v, weights", f"weights @ v, {half}"), seed=1)
    assert found.text == "weights is NaN only where mask is False"


def test_a_single_number_is_not_everywhere():
    assert said(loss, "loss", ("return -(", "return np.nan * (")).text == "loss is NaN"
