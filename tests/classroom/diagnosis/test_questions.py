"""What is said and asked fits the exercise: its text, its inputs, and whether the result is a gradient."""

import re

import pytest
from small_exercises import attention, embedding, exercise, layer_norm, linear, loss, report, said

from npformer.classroom import index as course
from npformer.classroom.cells import functions_in
from npformer.classroom.diagnosis.hints import by_hand
from npformer.classroom.exercise import Call
from npformer.classroom.exercise_at_seed import Case


def after(exercise, name, line):
    """Return the key with a line run after a function of its own, whose arguments are `a` and whose result is `y`."""
    return (
        f"{exercise.key}\n\nright = {name}\n\ndef {name}(*a, **k):\n    y = right(*a, **k)\n    {line}\n    return y\n"
    )


@pytest.mark.parametrize(
    ("id", "call", "source"),
    [
        ("numeric_gradient", "matrix", "formula"),
        ("warmup", "one_step", "formula"),
        ("kv_cache", "decode", "functions"),
        ("softmax", "heads", "loops"),  # by way of the exercise's own
        ("greedy", "last_read", "loops"),
        ("beam", "tokens_given", "loops"),  # as its other call of the same function
        ("beam", "continuations", ""),
        ("add_norm", "post", "loops"),
        ("add_norm", "post_backward", ""),  # the loops are forward's
        ("positions", "make_table", "loops"),
        ("positions", "add", ""),
    ],
)
def test_an_entry_is_worked_out_from_what_the_text_has(id, call, source):
    loaded = course.load(id)
    assert by_hand(loaded, loaded.call(call), "one entry").endswith(f"from the {source and f'{source} of the '}text?")


@pytest.mark.parametrize("id", course.ids())
def test_loops_are_spoken_of_only_where_the_text_has_some(id):
    loaded = course.load(id)
    looping = any(re.search(r"\bfor \w+.* in ", line) for line in loaded.stub.split("\n"))
    assert looping or not any("loops" in by_hand(loaded, call, "one entry") for call in loaded.calls)
    assert functions_in(loaded.stub)


def test_a_formula_is_spoken_of_only_where_the_text_has_one():
    edit = ("x @ w + b", "x @ w + 2 * b")
    with_one, without = (said(one, "y", edit).question for one in (course.load("linear"), linear))
    assert "the formula" in with_one and "the text" in without and "formula" not in without


def test_what_is_asked_of_the_worst_entry_comes_from_there():
    found = said(course.load("kv_cache"), "y of all steps", ("newest = newest + y\n", "newest = np.sin(newest + y)\n"))
    assert found.kind == "numbers" and "loops" not in found.question


def test_padding_is_spoken_of_only_where_some_ids_are():
    tied = course.load("tied_generator")
    wrong = after(tied, "tied_gradient", "y[0] += 1")
    [part] = [p for p in report(tied, wrong).parts if p.name == "tied gradient"]
    assert part.finding.text == "tied gradient is wrong only in the row of id 0"
    assert "padding" not in part.finding.question + part.finding.id
    found = said(embedding, "dtable", ("    dtable[0] = 0\n", ""))
    assert "padding" in found.question and found.id == "only in the row of padding"


def test_no_number_of_real_tokens_is_a_factor_where_none_is_padding():
    def inputs(draw, B, T, D):
        return {"x": draw.normal(D), "ids": draw.ids(B, T, vocab_size=7, pad=False) - 1}

    def count(student, x, ids):
        return student.count(x, ids)

    small = exercise("small", "def count(x, ids):\n    return x", inputs, [Call(count, {"y": 1})])
    found = said(small, "y", ("return x", "return x * (ids != 0).sum()"))
    assert "real tokens" not in found.text


@pytest.mark.parametrize(
    ("wrong", "question"), [("0.0 * ", "Which of your lines makes it 0"), ("np.inf * ", "Which line makes it:")]
)
def test_of_one_number_nothing_is_asked_of_an_array(wrong, question):
    found = said(loss, "loss", ("return -(", f"return {wrong}(")).question
    assert found.startswith(question)
    assert said(linear, "dx", ("dy @ w.T", "0 * x")).question == "Is the array ever filled after it was made?"


def test_one_number_has_no_largest_entry():
    found = said(loss, "loss", ("return -(", "return -1.00001 * ("))
    assert found.text.startswith("loss is right to ") and "entry" not in found.text


FORWARD = [
    (linear, "y", ("x @ w + b", "x @ w + 2 * b")),
    (linear, "y", ("x @ w + b", "x @ w - b * 0.5")),
    (linear, "y", ("x @ w + b", "-(x @ w + b)")),
    (linear, "y", ("x @ w + b", "(x @ w + b) * b")),
    (linear, "y", ("x @ w + b", "2 * (x @ w + b)")),
    (loss, "picked", ("np.where(real, picked, 1.0)", "picked")),
    (loss, "loss", ("return -(", "return (")),
    (course.load("linear"), "y", ("x @ w + b", "x @ w")),
    (course.load("layer_norm"), "y", ("gain * xhat", "gain**2 * xhat")),
]


@pytest.mark.parametrize(("small", "part", "edit"), FORWARD)
def test_a_forward_has_no_ways_to_a_loss(small, part, edit):
    found = said(small, part, edit)
    assert found.question and not re.search(r"the loss|send back|way back|gradient", found.question)


@pytest.mark.parametrize(
    ("small", "part", "edit"),
    [
        (linear, "db", ("dy.sum((0, 1))", "-dy.sum((0, 1))")),
        (linear, "dx", ("dy @ w.T", "dy @ w.T - x")),
        (layer_norm, "dx", ("return rstd * (", "return gain * rstd * (")),
        (layer_norm, "dx", ("- along_ones", "- 2 * along_ones")),
    ],
)
def test_a_gradient_has(small, part, edit):
    assert "the loss" in said(small, part, edit).question


@pytest.mark.parametrize(
    ("id", "function", "line", "name"),
    [
        ("numeric_gradient", "numeric_gradient", "a[1][...] = 0", "x"),
        ("softmax", "softmax", "a[0][...] = 0", "x"),
        ("softmax_backward", "softmax_backward", "a[0][...] = 0", "dy"),
        ("adam", "adam_step", "a[2]['m'][0][...] = 0", "state"),
        ("training_step", "training_step", "a[2][...] = 0", "ids"),
        ("kv_cache", "decode_one_by_one", "a[0][...] = 0", "x"),
    ],
)
def test_inputs_go_by_the_names_of_the_students_arguments(id, function, line, name):
    loaded = course.load(id)
    texts = {part.finding.text for part in report(loaded, after(loaded, function, line)).parts}
    texts = [text for text in texts if "no longer" in text]
    assert texts and all(re.match(rf"after the call {name} is no longer what came in: {name} by", t) for t in texts)


def test_facts_name_the_students_arguments_too():
    loaded = course.load("softmax_backward")
    text = after(loaded, "softmax_backward", "y = y * a[0]")
    found = {part.name: part.finding for part in report(loaded, text).parts if part.outcome == "wrong"}
    assert found["dx of four axes"].text == "dx of four axes is the right one times dy"
    case = Case(loaded, 0)
    assert case.arguments(loaded.call("heads")) == {"dy_heads": "dy", "y_heads": "y"}
    assert case.arguments(loaded.call("backward")) == {"dy": "dy", "y": "y"}


def test_names_that_only_fit_by_chance_are_not_taken():
    loaded = course.load("greedy")
    assert "shorter" not in Case(loaded, 0).arguments(loaded.call("cut_off"))


def test_what_is_asked_of_a_gain_of_1_fits_forward_and_backward():
    norm = course.load("layer_norm")
    found = said(norm, "y", ("gain * xhat", "abs(gain) ** 1.3 * xhat"))
    assert found.id == "right when gain = 1" and found.question.endswith("what does it multiply?")
    found = said(layer_norm, "dx", ("dy * gain", "dy * abs(gain) ** 1.3"))
    assert found.id == "right when gain = 1" and "way back" in found.question


def test_a_question_presupposes_nothing_beyond_the_fact():
    either = "does any of your lines mix the two, or forget one of them?"
    last = ("(dy * xhat).sum((0, 1))", "(dy * xhat)[:, -1].sum(0)")
    assert said(layer_norm, "dgain", last).question == f"With a second position: {either}"
    one = ("(dy * xhat).sum((0, 1))", "(dy * xhat)[0, -1]")
    assert said(layer_norm, "dgain", one).question == f"With a second sentence or position: {either}"
    found = said(attention, "weights", ("np.sqrt(q.shape[-1])", "1"))
    assert found.question == "What changes in your lines when K is more than 1, and what should?"


def test_of_entries_that_are_treated_as_all_others_no_line_is_asked_for_that_treats_them_differently():
    cache = course.load("kv_cache")
    found = said(
        cache, "positions", ("sinusoids(start + n_new, d_model)[start:]", "sinusoids(start + 1, d_model)[start:]")
    )
    assert found.id.startswith("only after the first") and "differently" not in found.question


def test_what_changes_a_list_is_not_asked_for_an_array_nor_what_makes_an_axis_for_a_sum():
    lengthened = after(linear, "linear", "y = np.atleast_1d(y)[None]")
    [part] = [p for p in report(linear, lengthened).parts if p.name == "y"]
    assert "keepdims" not in part.finding.question and "axes of length 1" in part.finding.question
    lowest = course.load("warmup")
    found = said(lowest, "an array of steps", ("np.minimum(falling, rising)", "np.min((falling, rising))"))
    assert found.id == "axis is lacking" and not any(word in found.question for word in ("sum", "mean"))


@pytest.mark.parametrize(
    ("id", "mistake", "presupposed"),
    [("heads", "d_k_before_heads", "reshape"), ("label_smoothing", "divided_by_sentences", "your loss")],
)
def test_a_mistake_asks_for_nothing_that_an_answer_need_not_have(id, mistake, presupposed):
    [known] = [one for one in course.load(id).mistakes if one.id == mistake]
    assert presupposed not in known.told("dlogits")[1]
