"""Arguments and messages of the later exercises."""

import numpy as np
import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from npformer_course.sandbox.protocol import pack_request, unpack_request


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


def test_plural_results_have_plural_messages():
    for id in ("training_step", "encoder_training", "greedy", "kv_cache", "beam", "top_p"):
        for mistake in course.load(id).mistakes:
            assert "{part} is what comes out" not in mistake.says
