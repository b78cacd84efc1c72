"""Answers that are right for other inputs: two exchanged, one forgotten."""

import pytest
from small_exercises import attention, dropout, exercise, layer_norm, report, said, softmax

from npformer.classroom import index as course
from npformer.classroom.exercise import Call
from npformer.classroom.inputs import draw

MIX = """
def mix(x, y, a, b, mask):
    mixed = a * x + b * np.sin(y) * mask
    return mixed + (mixed**2).sum(-1, keepdims=True)
"""


def inputs(draw, B, D):
    mask = draw.mask(B, D)
    return {"x": draw.normal(B, D), "y": draw.normal(B, D), "a": draw.rate(), "b": 1 + draw.rate(), "mask": mask}


def mix(student, x, y, a, b, mask):
    return student.mix(x, y, a, b, mask)


small = exercise("mix", MIX, inputs, [Call(mix, {"mixed": 1})])
RIGHT = "mixed = a * x + b * np.sin(y) * mask"


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ("b * x + a * np.sin(y) * mask", "mixed is what comes out when a and b are exchanged"),
        ("a * y + b * np.sin(x) * mask", "mixed is what comes out when x and y are exchanged"),
        ("a * x + b * np.sin(y)", "mixed is what comes out when mask is True everywhere"),
        ("a * x + b * np.sin(y) * ~mask", "mixed is what comes out when True and False change places in mask"),
        ("a * x", "mixed is what comes out when y is 0 everywhere"),
        ("x + b * np.sin(y) * mask", "mixed is what comes out when a is 1"),
    ],
)
def test_what_the_right_solution_gives_on_other_inputs_is_told(wrong, text):
    for seed in range(3):
        found = said(small, "mixed", (RIGHT, f"mixed = {wrong}"), seed=seed)
        if text.endswith("y is 0 everywhere"):  # so it is when b is
            assert found.text in (text, "mixed is what comes out when b is 0")
        else:
            assert (found.kind, found.text) == ("fact", text) and found.question


@pytest.mark.parametrize(
    "wrong", ["b * x + a * np.cos(y) * mask", "a * x + b * np.sin(y) * (mask + 1e-4)", "x * 0 + 3", "a * x / 0"]
)
def test_what_is_only_near_is_not_told(wrong):
    for seed in range(3):
        assert "what comes out" not in said(small, "mixed", (RIGHT, f"mixed = {wrong}"), seed=seed).text


@pytest.mark.parametrize("other", [attention, dropout, layer_norm, softmax, course.load("adam")], ids=lambda e: e.id)
def test_a_right_answer_is_not_looked_at(other):
    assert not any(part.finding.text for part in report(other, other.key).parts)


def test_a_name_that_the_students_text_does_not_have_is_not_spoken_of():
    def mix(student, x, y, hidden_from_them, b, mask):
        return student.mix(x, y, hidden_from_them, b, mask)

    def renamed(draw, B, D):
        drawn = inputs(draw, B, D)
        return {"hidden_from_them": drawn.pop("a"), **drawn}

    other = exercise("mix", MIX, renamed, [Call(mix, {"mixed": 1})])
    for seed in range(3):
        assert "hidden" not in said(other, "mixed", (RIGHT, "mixed = x + b * np.sin(y) * mask"), seed=seed).text


def test_what_holds_by_luck_on_a_few_draws_is_not_told():
    def with_luck(draw, B, D):
        return {**inputs(draw, B, D), "lucky": bool(draw.rng.random() < 0.8)}

    def mix_with_luck(student, x, y, a, b, mask, lucky):
        return student.mix(x, y, a, b, mask, lucky)

    body = MIX.replace("b, mask)", "b, mask, lucky)")
    other = exercise("mix", body, with_luck, [Call(mix_with_luck, {"mixed": 1})])
    seeds = [s for s in range(40) if all(draw(other, s, i).inputs["lucky"] for i in range(8))]
    assert len(seeds) > 1
    for seed in seeds:
        wrong = "mixed = (x if lucky else np.cos(x)) + b * np.sin(y) * mask"
        assert "what comes out" not in said(other, "mixed", (RIGHT, wrong), seed=seed).text
