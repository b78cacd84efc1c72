"""Many sentences, decoded in groups of similar length."""

import numpy as np
import pytest

from npformer.decoding import decode_batched, greedy_decode
from npformer.decoding.predictor import groups_of_like_length


def test_groups_hold_every_index_once_and_stay_within_the_budget():
    lengths = np.random.default_rng(0).integers(1, 30, 200).tolist()
    groups = groups_of_like_length(lengths, 64)
    assert sorted(index for group in groups for index in group) == list(range(200))
    assert all(len(group) * max(lengths[i] for i in group) <= 64 for group in groups)
    assert len(groups) < 2 * sum(lengths) / 64


@pytest.mark.parametrize("batch_tokens", [1, 9, 1000])
def test_results_are_in_the_order_of_the_sentences(make_model, batch_tokens):
    sources = [[5 + i % 7] * (i % 5 + 1) + [i] for i in range(23)][1:]
    found = decode_batched(
        make_model(),
        lambda src: [[src.size, *row[row != 0].tolist()] for row in src],
        sources,
        batch_tokens=batch_tokens,
    )
    assert [ids for _, *ids in found] == sources and max(size for size, *_ in found) <= max(batch_tokens, 6)


def test_the_size_of_the_groups_does_not_change_the_translations(make_model, id_pairs):
    model, sources = make_model(), [[*source, 3] for source, _ in id_pairs]
    found = [
        decode_batched(model, lambda src: greedy_decode(model, src), sources, batch_tokens=n) for n in (1, 30, 1000)
    ]
    assert found[0] == found[1] == found[2] and len({tuple(ids) for ids in found[0]}) > 5


def test_the_model_is_in_eval_mode_meanwhile(make_model):
    model = make_model().train()
    assert decode_batched(model, lambda src: [model.training] * len(src), [[4, 3]]) == [False] and model.training
