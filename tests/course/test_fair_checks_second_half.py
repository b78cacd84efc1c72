"""Answers to the later exercises: right ones in odd styles pass, and wrong ones are named."""

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


MERGE = """
def merge(ids, pair, new_id):
    merged = []
    i = 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged
"""
ENCODE_BY_SEARCH = """
def encode(ids, merges):
    for k, pair in enumerate(merges):
        if pair in pairwise(ids):
            ids = merge(ids, pair, 256 + k)
    return ids
"""
ENCODE_BY_RANKS = """
def encode(ids, merges):
    ranks = {pair: k for k, pair in enumerate(merges)}
    while True:
        known = [pair for pair in pairwise(ids) if pair in ranks]
        if not known:
            return ids
        first = min(known, key=lambda pair: ranks[pair])
        ids = merge(ids, first, 256 + ranks[first])
"""


@pytest.mark.parametrize("encode", [ENCODE_BY_SEARCH, ENCODE_BY_RANKS])
def test_pairs_of_a_docstring_are_tuples_in_the_sandbox(sandbox, encode):
    exercise = course.load("byte_pair_merges")
    report = check(case_at(exercise.id, 0), f"{exercise.key}\n{MERGE}\n{encode}", sandbox.run)
    assert report.passed, report.parts
