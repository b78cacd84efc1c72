"""TextChunks of a running text, and their batches."""

import numpy as np
import pytest

from npformer import InputError
from npformer.tasks import LanguageModelBatch, TextChunks

IDS = np.arange(4, 107)  # each token once, so that a prediction says where it was made


def pairs(batch):
    """Return (a token, the one that it is to predict) for each real place of a batch."""
    real = batch.targets != -100
    return list(zip(batch.ids[real].tolist(), batch.targets[real].tolist(), strict=True))


def of_epoch(chunks, number):
    return [pair for batch in chunks.epoch(number) for pair in pairs(batch)]


@pytest.mark.parametrize("length", [1, 2, 7, 50, 102, 103, 500])
@pytest.mark.parametrize("batch_tokens", [1, 20, 1000])
def test_each_token_is_predicted_once_in_order(length, batch_tokens):
    chunks = TextChunks(IDS, length=length, batch_tokens=batch_tokens, shuffle=False)
    assert of_epoch(chunks, 1) == [(token, token + 1) for token in IDS[:-1]]
    assert of_epoch(chunks, 2) == of_epoch(chunks, 1)


@pytest.mark.parametrize("length", [1, 2, 7, 50, 102, 500])
@pytest.mark.parametrize("epoch", [1, 2, 3])
def test_each_token_after_the_offset_is_predicted_once(length, epoch):
    found = of_epoch(TextChunks(IDS, length=length, batch_tokens=20), epoch)
    first = min(found)[0]
    assert sorted(found) == [(token, token + 1) for token in range(first, IDS[-1])]
    assert first - IDS[0] < length


def test_chunk_offsets_and_order_vary_by_epoch():
    chunks = TextChunks(IDS, length=7, batch_tokens=7)
    cuts = [[batch.ids[0, 0] for batch in chunks.epoch(n)] for n in range(1, 41)]
    assert {min(starts) - IDS[0] for starts in cuts} == set(range(7))
    assert all(starts != sorted(starts) for starts in cuts)
    assert len({tuple(starts) for starts in cuts}) == 40


def test_epoch_depends_only_on_seed_and_number():
    one, same, other = (TextChunks(IDS, length=7, batch_tokens=21, seed=seed) for seed in (1, 1, 2))
    of_epoch(one, 5)
    assert of_epoch(one, 2) == of_epoch(same, 2) != of_epoch(other, 2)


def test_batches_have_the_requested_size_except_the_last():
    cut = TextChunks(IDS, length=10, batch_tokens=35, shuffle=False).epoch(1)
    assert len(cut) == 4 == len(list(cut))
    assert [batch.ids.shape for batch in cut] == [(3, 10)] * 3 + [(2, 10)]
    assert [batch.n_tokens for batch in cut] == [30, 30, 30, 12]
    assert cut.padding_share == pytest.approx(8 / 110)  # a row of 2 is padded to 10
    assert [batch.ids.tolist() for batch in cut.batches(2)] == [
        batch.ids.tolist() for batch in cut
    ][2:]


def test_checksum_changes_with_text_and_settings():
    usual = {"length": 7, "batch_tokens": 21, "seed": 1, "shuffle": True}
    others = [{"length": 8}, {"batch_tokens": 28}, {"seed": 2}, {"shuffle": False}]
    sums = [TextChunks(IDS, **{**usual, **other}).checksum for other in ({}, *others)]
    sums.append(TextChunks(IDS[:-1], **usual).checksum)
    sums.append(TextChunks(IDS[::-1], **usual).checksum)
    assert len(set(sums)) == len(sums)
    assert TextChunks(IDS.tolist(), **usual).checksum == sums[0]
    by_default = TextChunks(IDS, length=7, batch_tokens=21)
    assert by_default.checksum == TextChunks(IDS, **{**usual, "seed": 0}).checksum


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_split_contains_each_chunk_once(n):
    [batch] = TextChunks(IDS[:40], length=10, batch_tokens=1000, shuffle=False).epoch(1)
    shares = batch.split(n)
    assert len(shares) == min(n, 4)
    assert sorted(pair for share in shares for pair in pairs(share)) == pairs(batch)
    assert sum(share.n_tokens for share in shares) == batch.n_tokens == 39
    assert all(
        isinstance(share, LanguageModelBatch) and share.inputs[0] is share.ids for share in shares
    )


def test_chunks_of_unequal_length_are_padded():
    batch = LanguageModelBatch.collate([[4, 5, 6, 7], [8, 9], [5, 4, 6]])
    assert batch.ids.tolist() == [[4, 5, 6], [8, 0, 0], [5, 4, 0]]
    assert batch.targets.tolist() == [[5, 6, 7], [9, -100, -100], [4, 6, -100]]
    assert batch.n_tokens == 6


def test_without_padding_every_id_is_a_token():
    text = [0, 5, 0, 0, 6]
    chunks = TextChunks(text, length=3, batch_tokens=6, shuffle=False, pad_id=None)
    [batch] = chunks.epoch(1)
    assert batch.ids.tolist() == [[0, 5, 0], [0, 0, 0]] and batch.n_tokens == 4
    assert pairs(batch) == [(0, 5), (5, 0), (0, 0), (0, 6)]
    with pytest.raises(InputError, match="token ids must be integers, 0 or more: encode the text"):
        TextChunks([4, -1], length=3, batch_tokens=9, pad_id=None)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([], "the text has 0 tokens: expected two or more"),
        ([5], "the text has 1 tokens: expected two or more"),
        ([[4, 5], [6, 7]], "expected two or more"),
        ([4.0, 5.0], "token ids must be integers"),
        ([4, -5], "integers greater than 0"),
        ([4, 5, 0, 6], "integers greater than 0"),
        (["a", "b"], "encode the text first"),
    ],
)
def test_text_without_chunks_is_rejected(ids, expected):
    with pytest.raises(InputError) as caught:
        TextChunks(ids, length=3, batch_tokens=9)
    assert expected in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [{"length": 0}, {"length": -3}, {"batch_tokens": 0}])
def test_chunks_and_batches_have_tokens(size):
    with pytest.raises(InputError, match=f"^{next(iter(size))} = .*: expected an integer >= 1"):
        TextChunks(range(4, 40), **{"length": 3, "batch_tokens": 9, **size})
