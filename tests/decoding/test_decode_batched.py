"""Many sentences, decoded in groups of similar length."""

import numpy as np
import pytest

from npformer.tasks import decode_batched
from npformer.tasks.predictor import groups_of_like_length


def test_groups_partition_indices_within_token_budget():
    lengths = np.random.default_rng(0).integers(1, 30, 200).tolist()
    groups = groups_of_like_length(lengths, 64)
    assert sorted(index for group in groups for index in group) == list(range(200))
    assert all(len(group) * max(lengths[i] for i in group) <= 64 for group in groups)
    assert len(groups) < 2 * sum(lengths) / 64


def test_model_is_in_eval_mode_while_it_decodes_and_no_longer(make_model):
    model = make_model()
    modes = []

    def decode(src):
        modes.append(model.training)
        return list(src)

    decode_batched(model, decode, [[5, 3]])
    assert modes == [False] and model.training


@pytest.mark.parametrize("batch_tokens", [1, 9, 1000])
def test_results_have_the_order_of_the_sentences(make_model, batch_tokens):
    sources = [[5 + i % 7] * (i % 5 + 1) + [i] for i in range(23)][1:]
    found = decode_batched(
        make_model(),
        lambda src: [[src.size, *row[row != 0].tolist()] for row in src],
        sources,
        batch_tokens=batch_tokens,
    )
    assert [ids for _, *ids in found] == sources and max(size for size, *_ in found) <= max(
        batch_tokens, 6
    )
