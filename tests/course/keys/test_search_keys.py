"""The keys of the searches write what npformer's own write, and ask the model as often."""

import re

import numpy as np
import pytest

from npformer.decoding import CachedDecoder, beam_search, greedy_decode
from npformer.layers import Softmax
from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from npformer_course.definition import module_of
from tests.run_here import run_here

PAD, BOS, EOS, EXTRA = 0, 2, 3, 6
SRC = np.array([[4, 5, EOS], [6, 7, EOS], [8, 9, EOS], [10, 11, EOS], [5, 5, EOS]])
SENTENCES = [[4, 5, 6, EOS], [6, 7, 8, EOS], [9, 9, EOS], [10, 11, EOS], [5, EOS]]


def transformer_of(make_model, seed):
    settings = dict(dtype="float64", dropout=0.0, tie_embeddings="none", generator_bias=True)
    transformer = make_model(seed=seed, **settings).eval()
    transformer.generator.bias.data[PAD] = -50  # which npformer never writes, and the exercises may
    return transformer


@pytest.mark.parametrize(("seed", "scale"), [(1, 1.0), (9, 1.5), (9, 3.0)])
def test_greedy_equals_greedy_decode(make_model, seed, scale):
    transformer = transformer_of(make_model, seed)
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


def test_incorrect_model_input_of_greedy_is_reported_by_shape():
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


@pytest.mark.parametrize(
    ("beam", "alpha", "seed"), [(2, 0.6, 0), (4, 0.0, 1), (4, 0.6, 5), (3, 1.5, 9)]
)
def test_beam_equals_beam_search(make_model, monkeypatch, beam, alpha, seed):
    transformer = transformer_of(make_model, seed)
    key = module_of(course.load("beam").key)
    lengths = set()
    for sentence in SENTENCES:
        src, max_len, asked, steps = np.array([sentence]), len(sentence) + EXTRA, [], []

        def model(
            tokens, state, src=src, asked=asked
        ):  # the state: how many tokens were read, and which
            n = int(state[0, 0])
            state = state.copy()
            state[:, 0], state[:, n + 1] = n + 1, tokens
            asked.append(len(tokens))
            logits = transformer.forward(
                np.repeat(src, len(tokens), 0), state[:, 1 : n + 2].astype(int)
            )[:, -1]
            return np.log(Softmax().eval().forward(logits)), state

        ids, score = key.beam_search(
            model, np.zeros((beam, max_len + 1)), BOS, EOS, PAD, max_len, beam, alpha
        )
        with monkeypatch.context() as patch:
            step = CachedDecoder.step
            patch.setattr(
                CachedDecoder, "step", lambda *args, s=steps, f=step: s.append(1) or f(*args)
            )
            settings = dict(beam=beam, alpha=alpha, max_extra_tokens=EXTRA, bos_id=BOS, eos_id=EOS)
            [[expected]] = beam_search(transformer, src, **settings)
        length = len(expected.ids)
        assert ids[:length].tolist() == expected.ids
        assert ids[length:].tolist() == ([EOS] + [PAD] * max_len)[: max_len - length]
        assert score == pytest.approx(expected.score)
        assert len(asked) == len(steps)
        lengths.add(length)
    assert len(lengths) > 1
