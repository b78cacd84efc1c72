"""Answers to the later exercises: right ones in odd styles pass, and wrong ones are named."""

import numpy as np
import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from npformer_course.sandbox.protocol import pack_request, unpack_request
from tests.run_here import run_here

SECOND_HALF = course.EXERCISES[course.EXERCISES.index("dropout") :]


@pytest.mark.parametrize(
    "value", [(1, 2), [(1, 2), (3, 4)], {"pairs": ((1, 2),)}, ([1], {"x": (2.5, "a", None)}), ()]
)
def test_request_keeps_tuples_and_lists_apart(value):
    assert unpack_request(pack_request("id", value)) == ("id", value)


def test_request_keeps_arrays_inside_tuples():
    [(x, y)] = unpack_request(pack_request((np.arange(3, dtype=np.int32), [np.ones((2, 0))])))
    assert x.dtype == np.int32 and x.tolist() == [0, 1, 2] and y[0].shape == (2, 0)


@pytest.mark.parametrize("number", [1, 3])
def test_pairs_of_a_docstring_are_tuples_in_the_sandbox(sandbox, number):
    # these compare pairs as tuples, and have them as keys
    exercise = course.load("byte_pair_merges")
    text = f"{exercise.stub}\n{exercise.alternatives[number - 1]}"
    report = check(case_at(exercise.id, 0), text, sandbox.run)
    assert report.passed, report.parts


def test_encoding_a_word_of_one_byte_is_checked():
    exercise = course.load("byte_pair_merges")
    wrong = "\ndef encode(ids, merges):\n    assert ids[1] >= 0\n    return cut(ids, merges)\n"
    text = exercise.key.replace("def encode(", "def cut(") + wrong
    parts = {part.name: part for part in check(case_at(exercise.id, 0), text, run_here).parts}
    assert parts["ids of a new word"].outcome == "error"


DROPOUT_BELOW = """
class Dropout(Dropout):
    def forward(self, x):
        self.mask = np.ones(x.shape)
        if self.training:
            self.mask = (self.rng.random(x.shape) < 1 - self.p) / (1 - self.p)
        return x * self.mask

    def backward(self, dy):
        return dy * self.mask
"""
BY_FEATURE = """
def sinusoids(n_positions, d_model):
    table = np.zeros((n_positions, d_model))
    for i in range(d_model):
        angle = np.arange(n_positions) / 10000 ** (2 * i / d_model)
        table[:, i] = np.sin(angle) if i % 2 == 0 else np.cos(angle)
    return table
"""
TENSOR2TENSOR = """
def sinusoids(n_positions, d_model):
    n = d_model // 2
    increment = math.log(10000) / max(n - 1, 1)
    angles = np.arange(n_positions)[:, None] * np.exp(-increment * np.arange(n))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
"""
HALF_OF_THE_WIDTH = """
def learning_rate(step, d_model, warmup_steps):
    return d_model ** -1/2 * np.minimum(1 / np.sqrt(step), step / warmup_steps**1.5)
"""
HALVES = """
def learning_rate(step, d_model, warmup_steps):
    step = 1.0 * step
    return d_model ** -1/2 * np.minimum(step ** -1/2, step / warmup_steps**1.5)
"""
ALL_HALVES = """
def learning_rate(step, d_model, warmup_steps):
    step = 1.0 * step
    return d_model ** -1/2 * np.minimum(step ** -1/2, step * warmup_steps ** -3/2)
"""
TABLE_TOO_SHORT = """
def add_positions(x, start):
    _, N, D = x.shape
    return x + sinusoids(max(start, N), D)[-N:]
"""

MODE_OF_NOW = """
class Dropout(Dropout):
    def forward(self, x):
        self.kept = np.full(x.shape, True)
        if self.training:
            self.kept = self.rng.random(x.shape) >= self.p
            return np.where(self.kept, x / (1 - self.p), 0)
        return x

    def backward(self, dy):
        if self.training:
            return np.where(self.kept, dy / (1 - self.p), 0)
        return dy
"""
HALF_OF_THE_CUBE = """
def learning_rate(step, d_model, warmup_steps):
    rising = step * float(warmup_steps) ** -3/2
    return np.minimum(1 / np.sqrt(step), rising) / math.sqrt(d_model)
"""
PLACES_IN_ORDER = """
def best_continuations(log_p, next_log_p, n):
    totals = (next_log_p.T + log_p).T
    limit = np.sort(totals, axis=None)[-n]
    parents, tokens = np.nonzero(totals >= limit)
    return totals[parents, tokens], parents, tokens
"""
IDS_OF_MERGES_DONE = """
def encode(ids, merges):
    free = 256
    for pair in merges:
        if pair in list(pairwise(ids)):
            ids = merge(ids, pair, free)
            free += 1
    return ids
"""
CHANGED_IN_PLACE = """
def encoder_layer(layer, x, mask):
    z = layer.norm_1.forward(layer.attention.forward(x, mask) + x)
    np.add(z, layer.feed_forward.forward(z), out=z)
    return layer.norm_2.forward(z)
"""
PART_OF_THE_REPEATS = """
def tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    total = np.array(dgenerator)
    for id, gradient in zip(src.ravel(), dsrc.reshape(src.size, -1), strict=True):
        total[id] += gradient
    total[tgt] = total[tgt] + math.sqrt(total.shape[1]) * dtgt
    return total
"""
NO_SHARES = """
def smooth_targets(targets, vocab_size, eps):
    q = np.full((*targets.shape, vocab_size), eps / vocab_size)
    q[..., 0] = 0
    np.put_along_axis(q, targets[..., None], 1 - eps, axis=-1)
    return q
"""


@pytest.mark.parametrize(
    ("id", "part", "answer", "says"),
    [
        ("dropout", "y", DROPOUT_BELOW, "where its random number is below 1 - p"),
        ("dropout", "dx", DROPOUT_BELOW, "where its random number is below 1 - p"),
        ("positions", "table", BY_FEATURE, "every feature has an exponent of its own"),
        ("positions", "table", TENSOR2TENSOR, "all sines come first, then all cosines, and"),
        ("warmup", "a step after it", HALF_OF_THE_WIDTH, "by twice d_model, not by its root"),
        ("warmup", "an array of steps", HALVES, "1 / (2 d_model) and 1 / (2 step)"),
        ("warmup", "a step of the warm-up", ALL_HALVES, "the rate still rises after the warm-up"),
        ("dropout", "dx in training, then eval mode", MODE_OF_NOW, "in eval mode dx is dy, and"),
        ("warmup", "a step of the warm-up", HALF_OF_THE_CUBE, "step / (2 warmup_steps^3)"),
        ("beam", "tokens", PLACES_IN_ORDER, "in the order of their places"),
        ("byte_pair_merges", "ids of a new word", IDS_OF_MERGES_DONE, "does not have takes no id"),
        ("encoder_training", "losses", CHANGED_IN_PLACE, "is changed after its forward"),
        ("kv_cache", "positions", TABLE_TOO_SHORT, "the table ends after max(start, N) rows"),
    ],
)
def test_wrong_answers_of_students_are_named(id, part, answer, says):
    exercise = course.load(id)
    report = check(case_at(id, 0), f"{exercise.key}\n{answer}", run_here)
    [found] = [one for one in report.parts if one.name == part]
    assert found.outcome == "wrong" and found.finding.kind == "mistake"
    assert says in found.finding.text


@pytest.mark.parametrize(
    ("id", "part", "answer", "mistakes"),
    [
        (
            "tied_generator",
            "tied gradient",
            PART_OF_THE_REPEATS,
            {"repeats_of_the_target_lost", "source_without_the_root"},
        ),
        ("label_smoothing", "q", NO_SHARES, {"id_0_without_a_share", "sum_below_1"}),
    ],
)
def test_two_mistakes_in_one_answer_are_named(id, part, answer, mistakes):
    exercise = course.load(id)
    report = check(case_at(id, 0), f"{exercise.key}\n{answer}", run_here)
    [found] = [one for one in report.parts if one.name == part]
    assert set(found.finding.id.split(" + ")) == mistakes


def test_a_list_is_as_good_as_a_tuple_in_beam_search():
    exercise = course.load("beam")
    line = "return best_ids, best_score"
    assert exercise.key.count(line) == 1
    text = exercise.key.replace(line, "return [list(best_ids), best_score]")
    assert check(case_at("beam", 0), text, run_here).passed


def test_plural_results_have_plural_messages():
    for id in ("training_step", "encoder_training", "greedy", "kv_cache", "beam", "top_p"):
        for mistake in course.load(id).mistakes:
            assert "{part} is what comes out" not in mistake.says
