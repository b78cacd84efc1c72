"""BPE-dropout: without it the library's cuts, with it every text still comes back, and a seed gives the same cuts."""

import random
from collections import Counter

import pytest

from npformer.text import SubwordDropout, SubwordVocabulary

LINES = [
    "Ein Mann läuft im Park.",
    "Ein Mann spielt am Strand.",
    "Die Größe läuft  im Park.",
    "Zwei Hunde am Strand.",
]
TEXTS = [*LINES, "", "👩‍🚀 fliegt", "Strandpark\n", "im im im im im"]


@pytest.fixture(scope="module")
def vocabulary():
    return SubwordVocabulary.build(LINES, size=330)


def dropout(vocabulary, share, seed=0):
    return SubwordDropout(vocabulary, TEXTS, share=share, seed=seed)


def test_zero_subword_dropout_equals_library_segmentation(vocabulary):
    assert dropout(vocabulary, 0.0).epoch(1) == [vocabulary.encode(text) for text in TEXTS]


def test_full_subword_dropout_gives_bytes(vocabulary):
    lengths = [len(ids) for ids in dropout(vocabulary, 1.0).epoch(1)]
    assert lengths == [sum(map(len, vocabulary.words(text))) for text in TEXTS]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_text_round_trip(vocabulary, share):
    for epoch in range(1, 20):
        assert [vocabulary.decode(ids) for ids in dropout(vocabulary, share).epoch(epoch)] == TEXTS


def test_segmentation_depends_only_on_seed_and_epoch(vocabulary):
    one, again = dropout(vocabulary, 0.5), dropout(vocabulary, 0.5)
    assert one.epoch(3) == one.epoch(3)
    one.epoch(1)
    assert again.epoch(3) == one.epoch(3)
    assert one.epoch(4) != one.epoch(3) != dropout(vocabulary, 0.5, seed=1).epoch(3)


def test_word_has_several_segmentations_within_an_epoch(vocabulary):
    [cuts] = SubwordDropout(vocabulary, ["Strand" + " Strand" * 30], share=0.5, seed=0).epoch(1)
    assert (
        len(
            {
                tuple(word.split())
                for word in " ".join(vocabulary.tokens[i] for i in cuts).split("⇧")
            }
        )
        > 5
    )


def test_merge_dropout_rate():
    vocabulary = SubwordVocabulary.build(["ab ab"], size=261)
    side = SubwordDropout(vocabulary, [], share=0.3, seed=0)
    rng = random.Random(0)
    lengths = Counter(len(side.cut("ab", rng)) for _ in range(4000))
    assert lengths.keys() == {1, 2}
    assert lengths[2] / 4000 == pytest.approx(0.3, abs=0.03)
