"""BPE-dropout: without it the library's cuts, with it every text still comes back, and a seed gives the same cuts."""

import random
from collections import Counter

import pytest

from npformer.text import SubwordDropout, SubwordVocabulary

LINES = ["Ein Mann läuft im Park.", "Ein Mann spielt am Strand.", "Die Größe läuft  im Park.", "Zwei Hunde am Strand."]
TEXTS = [*LINES, "", "👩‍🚀 fliegt", "Strandpark\n", "im im im im im"]


@pytest.fixture(scope="module")
def vocabulary():
    return SubwordVocabulary.build(LINES, size=330)


def dropout(vocabulary, share, seed=0):
    return SubwordDropout(vocabulary, TEXTS, share=share, seed=seed)


def test_with_no_merge_left_out_the_cuts_are_the_librarys(vocabulary):
    assert dropout(vocabulary, 0.0).epoch(1) == [vocabulary.encode(text) for text in TEXTS]


def test_with_every_merge_left_out_only_bytes_remain(vocabulary):
    lengths = [len(ids) for ids in dropout(vocabulary, 1.0).epoch(1)]
    assert lengths == [sum(map(len, vocabulary.words(text))) for text in TEXTS]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_every_text_comes_back(vocabulary, share):
    for epoch in range(1, 20):
        assert [vocabulary.decode(ids) for ids in dropout(vocabulary, share).epoch(epoch)] == TEXTS


def test_cuts_depend_on_seed_and_epoch_alone(vocabulary):
    one, again = dropout(vocabulary, 0.5), dropout(vocabulary, 0.5)
    assert one.epoch(3) == one.epoch(3)
    one.epoch(1)
    assert again.epoch(3) == one.epoch(3)
    assert one.epoch(4) != one.epoch(3) != dropout(vocabulary, 0.5, seed=1).epoch(3)


def test_a_word_is_cut_in_several_ways_within_an_epoch(vocabulary):
    [cuts] = SubwordDropout(vocabulary, ["Strand" + " Strand" * 30], share=0.5, seed=0).epoch(1)
    assert len({tuple(word.split()) for word in " ".join(vocabulary.tokens[i] for i in cuts).split("⇧")}) > 5


def test_a_merge_is_left_out_as_often_as_asked():
    vocabulary = SubwordVocabulary.build(["ab ab"], size=261)
    side = SubwordDropout(vocabulary, [], share=0.3, seed=0)
    rng = random.Random(0)
    lengths = Counter(len(side.cut("ab", rng)) for _ in range(4000))
    assert lengths.keys() == {1, 2}
    assert lengths[2] / 4000 == pytest.approx(0.3, abs=0.03)
