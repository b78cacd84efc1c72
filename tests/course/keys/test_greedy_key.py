"""The key of the exercise writes what npformer's own greedy decoding writes."""

import re

import numpy as np
import pytest

from npformer.decoding import greedy_decode
from npformer.layers import Softmax
from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from npformer_course.definition import module_of
from tests.run_here import run_here

PAD, BOS, EOS, EXTRA = 0, 2, 3, 6
SRC = np.array([[4, 5, EOS], [6, 7, EOS], [8, 9, EOS], [10, 11, EOS], [5, 5, EOS]])


@pytest.mark.parametrize(("seed", "scale"), [(1, 1.0), (9, 1.5), (9, 3.0)])
def test_key_equals_greedy_decode(make_model, seed, scale):
    transformer = make_model(
        seed=seed, dtype="float64", dropout=0.0, tie_embeddings="none", generator_bias=True
    ).eval()
    transformer.generator.bias.data[PAD] = -50  # which npformer never writes, and the exercises may
    transformer.generator.table.data[EOS] *= scale  # likely enough to end some sentences early
    asked = []

    def model(ids):
        asked.append(ids.shape)
        return np.log(Softmax().eval().forward(transformer.forward(SRC, ids)))

    max_len = SRC.shape[1] + EXTRA
    ids, log_p = module_of(course.load("greedy").key).greedy(
        model, len(SRC), BOS, EOS, PAD, max_len
    )
    expected = greedy_decode(transformer, SRC, bos_id=BOS, eos_id=EOS, max_extra_tokens=EXTRA)
    assert [[token for token in row if token not in (PAD, EOS)] for row in ids.tolist()] == [
        [token for token in row if token != PAD] for row in expected
    ]
    assert len({*map(len, expected)}) > 1, "all sentences are equally long: the test shows little"

    lengths = [min(len(row) + 1, max_len) for row in expected]
    assert len(asked) == max(lengths)
    said = model(np.concatenate([np.full((len(SRC), 1), BOS), ids], 1)[:, :-1])
    for b, length in enumerate(lengths):
        assert log_p[b] == pytest.approx(said[b, range(length), ids[b, :length]].sum())


def test_incorrect_model_input_is_reported_by_shape():
    exercise = course.load("greedy")
    text = exercise.key.replace(
        "following = model(prefix)[:, -1]", "following = model(prefix[:, -2:])[:, -1]"
    )
    for seed in range(2):
        found = {
            part.name: part.finding for part in check(case_at("greedy", seed), text, run_here).parts
        }
        told = found["the last that the model reads"]
        assert told.id == "shape" and re.search(
            r"has the shape \((\d), 2\), expected \(\1, \d\)", told.text
        )
