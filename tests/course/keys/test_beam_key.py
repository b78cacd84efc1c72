"""The key of the exercise against npformer's own beam search, which asks the model as often."""

import numpy as np
import pytest

from npformer.decoding import CachedDecoder, beam_search
from npformer.layers import Softmax
from npformer_course import course
from npformer_course.definition import module_of

PAD, BOS, EOS, EXTRA = 0, 2, 3, 6
SENTENCES = [[4, 5, 6, EOS], [6, 7, 8, EOS], [9, 9, EOS], [10, 11, EOS], [5, EOS]]


@pytest.mark.parametrize(
    ("beam", "alpha", "seed"), [(2, 0.6, 0), (4, 0.0, 1), (4, 0.6, 5), (3, 1.5, 9)]
)
def test_key_equals_beam_search(make_model, monkeypatch, beam, alpha, seed):
    transformer = make_model(
        seed=seed, dtype="float64", dropout=0.0, tie_embeddings="none", generator_bias=True
    ).eval()
    transformer.generator.bias.data[PAD] = -50  # which npformer never writes, and the exercises may
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
