from collections import Counter
from itertools import chain

import numpy as np
import pytest

from npformer import InputError, TransformerConfig
from npformer.datasets import SentencePair
from npformer.tasks import (
    Batches,
    ClassificationBatch,
    LanguageModelBatch,
    TextChunks,
    TranslationBatch,
    translation_batches,
)
from npformer.tasks.batches import batches as make_batches
from npformer.text import BPEVocabulary, ByteLevelVocabulary, Vocabulary

PAD, BOS, EOS = 0, 2, 3


@pytest.fixture(scope="module")
def pairs():
    """Two thousand pairs, each with a number of its own as first token, and targets about as long
    as sources.
    """
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 30, 2000)
    return [
        ([10 + i, *[4] * length], [10 + i] * max(length + rng.integers(-2, 3), 1))
        for i, length in enumerate(lengths)
    ]


@pytest.fixture(scope="module")
def batches(pairs):
    return Batches(pairs, batch_tokens=512, seed=1)


def numbers(batches, epoch, start=0):
    return [batch.src[:, 0].tolist() for batch in batches.epoch(epoch).batches(start)]


@pytest.mark.parametrize("epoch", [1, 2, 7])
def test_each_pair_occurs_once_per_epoch(batches, pairs, epoch):
    assert sorted(chain(*numbers(batches, epoch))) == [10 + i for i in range(len(pairs))]


def test_batch_rows_pair_source_and_target(batches, pairs):
    for batch in batches.epoch(1):
        for src, tgt_in, tgt_out in zip(batch.src, batch.tgt_in, batch.tgt_out, strict=True):
            source, target = pairs[src[0] - 10]
            assert src[: len(source) + 1].tolist() == [*source, EOS]
            assert tgt_in[: len(target) + 1].tolist() == [BOS, *target]
            assert tgt_out[: len(target) + 1].tolist() == [*target, EOS]
            assert not src[len(source) + 1 :].any()
            assert not tgt_in[len(target) + 1 :].any() and not tgt_out[len(target) + 1 :].any()


@pytest.mark.parametrize("batch_tokens", [33, 100, 512, 100_000])
def test_batches_fill_the_token_budget_without_exceeding_it(pairs, batch_tokens):
    batches = Batches(pairs, batch_tokens=batch_tokens)
    sizes = [max(batch.src.size, batch.tgt_in.size) for batch in batches.epoch(1)]
    assert max(sizes) <= batch_tokens
    assert sum(size > batch_tokens / 2 for size in sizes) >= len(sizes) - 1


def test_sentences_of_similar_length_are_batched_together(batches):
    assert batches.epoch(1).padding_share < 0.08
    assert all(np.ptp((batch.tgt_in != PAD).sum(1)) <= 3 for batch in batches.epoch(1))


def test_order_and_grouping_change_each_epoch(batches):
    first, second = numbers(batches, 1), numbers(batches, 2)
    assert first != second
    neighbors = [{frozenset(batch) for batch in epoch} for epoch in (first, second)]
    assert len(neighbors[0] & neighbors[1]) < len(first) / 10


def test_batches_depend_only_on_seed_and_epoch(pairs, batches):
    same, other = (Batches(pairs, batch_tokens=512, seed=seed) for seed in (1, 2))
    assert numbers(same, 5) == numbers(batches, 5)
    assert numbers(other, 5) != numbers(batches, 5)


@pytest.mark.parametrize("start", [0, 1, 17])
def test_epoch_resumed_at_a_batch_has_the_same_rest(batches, start):
    assert numbers(batches, 4, start=start) == numbers(batches, 4)[start:]


def test_checksum_changes_with_data_and_settings(pairs, batches):
    def checksum(pairs=pairs, batch_tokens=512, seed=1, n_special_tokens=(1, 1)):
        return Batches(
            pairs, batch_tokens=batch_tokens, seed=seed, n_special_tokens=n_special_tokens
        ).checksum

    changed = [(pairs[0][0], [9]), *pairs[1:]]
    assert checksum() == batches.checksum
    assert checksum(seed=0) == Batches(pairs, batch_tokens=512).checksum
    assert (
        len(
            {
                checksum(),
                checksum(changed),
                checksum(pairs[1:]),
                checksum(batch_tokens=511),
                checksum(seed=2),
                checksum(n_special_tokens=(2, 1)),
            }
        )
        == 6
    )


def recut(epoch):
    return [([9 + epoch] * (i % 5 + 1), [7] * epoch) for i in range(40)]


def test_recut_gives_different_ids_in_each_epoch():
    batches = Batches(recut(1), batch_tokens=16, recut=recut)
    for epoch in (1, 3, 2):
        sources = [ids for batch in batches.epoch(epoch) for ids in batch.src.tolist()]
        assert Counter(sum(i == 9 + epoch for i in ids) for ids in sources) == dict.fromkeys(
            range(1, 6), 8
        )
        assert all(
            (batch.tgt_in == 7).sum(1).tolist() == [epoch] * len(batch.tgt_in)
            for batch in batches.epoch(epoch)
        )
        assert len(batches.epoch(epoch)) == len(list(batches.epoch(epoch)))
    checksums = [Batches(recut(n), batch_tokens=16).checksum for n in (1, 2)]
    assert batches.checksum == checksums[0] != checksums[1]
    assert Batches(recut(2), batch_tokens=16, recut=recut).checksum == checksums[0]


def test_recut_is_called_once_per_epoch():
    asked = []
    batches = Batches(
        recut(1), batch_tokens=16, recut=lambda epoch: asked.append(epoch) or recut(epoch)
    )
    first = batches.checksum
    for epoch in (1, 2, 3):
        list(batches.epoch(epoch))
        assert batches.epoch(epoch).padding_share < 0.5 and len(batches.epoch(epoch)) > 1
        assert batches.checksum == first
    assert asked == [1, 2, 3]


def test_examples_may_be_a_zip():
    sources, targets = [[4, 5], [6]], [[7], [8, 9]]
    batches = Batches(zip(sources, targets, strict=True), batch_tokens=16)
    [batch] = batches.epoch(1)
    assert batch.n_tokens == 5
    with pytest.raises(InputError, match="there is no text to make batches of"):
        Batches(zip([], [], strict=True), batch_tokens=16)


def test_too_long_pair_is_a_separate_batch():
    pairs = [([4] * length, [5]) for length in (20, 1, 30, 1, 1)]
    shapes = [batch.src.shape for batch in Batches(pairs, batch_tokens=8).epoch(1)]
    assert sorted(shapes) == [(1, 21), (1, 31), (3, 2)]


@pytest.mark.parametrize("batch_tokens", [0, -5, 2.5])
def test_batches_of_no_tokens_are_rejected(pairs, batch_tokens):
    with pytest.raises(
        InputError, match=f"^batch_tokens = {batch_tokens}: expected an integer >= 1"
    ):
        Batches(pairs, batch_tokens=batch_tokens)


def test_empty_data_is_rejected():
    with pytest.raises(InputError, match="no text to make batches of"):
        Batches([], batch_tokens=8)
    for kind in (TranslationBatch, ClassificationBatch, LanguageModelBatch):
        with pytest.raises(InputError, match="no sentences to make a batch of"):
            kind.collate([])


@pytest.mark.parametrize(("marks", "n_tokens"), [("none", 7), ("both", 5)])
def test_source_length_includes_special_tokens(marks, n_tokens):
    config = TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9, source_special_tokens=marks)
    pairs = [([4] * n_tokens, [5])] * 2
    assert [
        batch.src.shape for batch in translation_batches(pairs, config, batch_tokens=14).epoch(1)
    ] == [(2, 7)]
    assert [
        batch.src.shape for batch in translation_batches(pairs, config, batch_tokens=13).epoch(1)
    ] == [(1, 7)] * 2


@pytest.mark.parametrize("ids", [[4.0], [-1], ["4"], [True, 4.5], [None], [4, 0, 5]])
@pytest.mark.parametrize("side", [0, 1])
def test_invalid_token_ids_are_rejected(ids, side):
    pair = (ids, [5]) if side == 0 else ([5], ids)
    with pytest.raises(
        InputError, match=r"token ids must be integers greater than 0 .*: encode the text first"
    ) as caught:
        Batches([([4], [5]), pair], batch_tokens=8)
    assert "\n" not in str(caught.value)


def test_a_loop_reads_the_first_epoch_and_the_length_is_its_number_of_batches(batches):
    assert [batch.src[:, 0].tolist() for batch in batches] == numbers(batches, 1)
    assert len(batches) == len(numbers(batches, 1)) == len(list(batches))
    chunks = TextChunks(range(4, 40), length=4, batch_tokens=8)
    assert len(chunks) == len(list(chunks)) == 5
    assert [a.ids.tolist() for a in chunks] == [b.ids.tolist() for b in chunks.epoch(1)]


PAIRS = [("a b", "b a"), ("c", "c"), ("a b c", "c b a"), ("b c a", "a c b")]


def made(pairs=PAIRS, **how):
    vocabulary = Vocabulary.build(["a b c"], min_count=1)
    return list(make_batches(pairs, vocabulary, vocabulary, **how))


def test_batches_of_text_have_every_pair_in_each_epoch():
    found = made(tokens=8, epochs=3, rng=0)
    assert all(max(batch.src.size, batch.tgt_in.size) <= 8 for batch in found)
    sources = [tuple(row[row != PAD]) for batch in found for row in batch.src]
    assert len(sources) == 12 and set(Counter(sources).values()) == {3}
    assert [b.src.tolist() for b in found] == [
        b.src.tolist() for b in made(tokens=8, epochs=3, rng=0)
    ]
    orders = {tuple(map(str, (b.src.tolist() for b in made(tokens=4, rng=n)))) for n in range(9)}
    assert len(orders) > 1


def test_white_space_around_sentences_is_left_out_as_a_translator_does():
    subwords = BPEVocabulary.build(["a b"], size=262)
    (spaced,) = make_batches([(" a\n", "b \n")], subwords, subwords)
    (plain,) = make_batches([("a", "b")], subwords, subwords)
    assert spaced.src.tolist() == plain.src.tolist()
    assert spaced.tgt_out.tolist() == plain.tgt_out.tolist()


def test_checksum_is_of_every_id_of_long_arrays():
    ids = np.arange(4, 2000)
    other = ids.copy()
    other[1000] = 5
    checksums = [Batches([(each, [5])], batch_tokens=4000).checksum for each in (ids, other)]
    assert checksums[0] != checksums[1]


def test_pairs_may_be_lists_or_have_an_alignment():
    kinds = [list(PAIRS[0]), SentencePair(*PAIRS[1], ((0, 0),)), *PAIRS[2:]]
    read = [[batch.src.tolist() for batch in made(pairs, rng=0)] for pairs in (kinds, PAIRS)]
    assert read[0] == read[1] and len(read[0]) == 1


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({"pairs": []}, "pairs is empty: expected a list of pairs"),
        ({"pairs": zip("a", "b", strict=True)}, "pairs is a zip: expected a list of pairs"),
        ({"pairs": "ab"}, "pairs is a str: expected a list"),
        ({"pairs": ["ab"]}, "pairs has 'ab': expected a list of pairs"),
        ({"pairs": [("a", "b", "c")]}, r"pairs has \('a', 'b', 'c'\): expected a list of"),
        ({"pairs": [("a", 5)]}, "both text"),
        ({"pairs": [("a", "b"), ("a", " ")]}, "has no token: leave the pair out"),
        ({"tokens": 0}, "tokens = 0: expected an integer >= 1"),
        ({"epochs": 1.5}, "epochs = 1.5: expected an integer >= 1"),
        ({"epochs": True}, "epochs = True: expected an integer >= 1"),
    ],
)
def test_pairs_of_no_use_are_refused_before_the_loop(how, expected):
    vocabulary = Vocabulary.build(["a b c"], min_count=1)
    with pytest.raises(InputError, match=expected):
        make_batches(how.pop("pairs", PAIRS), vocabulary, vocabulary, **how)


@pytest.mark.parametrize("side", ["source", "target"])
def test_vocabulary_without_special_tokens_is_refused_on_either_side(side):
    words = Vocabulary.build(["a b c"], min_count=1)
    sides = {"source": words, "target": words, side: ByteLevelVocabulary.build(["a b"], size=260)}
    with pytest.raises(InputError, match=f"{side} is a ByteLevelVocabulary"):
        make_batches(PAIRS, sides["source"], sides["target"])
