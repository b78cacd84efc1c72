"""The phrasebook: what a split promises."""

from collections import Counter

import pytest

from npformer.datasets.synthetic import phrasebook
from npformer.datasets.synthetic.phrasebook.corpus import words_of
from npformer.datasets.synthetic.phrasebook.nouns import ADJECTIVES, NOUNS
from npformer.datasets.synthetic.phrasebook.verbs import VERBS


def test_split_has_requested_sizes_and_unique_sentences(parts, drawn):
    assert [len(part) for part in parts] == [20_000, 500]
    assert len({pair.source for pair in drawn}) == len({pair.target for pair in drawn}) == 20_500


@pytest.mark.parametrize("sizes", [(20_000, 500), (2000, 500)], ids=["all", "few"])
def test_words_of_held_out_sentences_occur_in_training(parts, sizes):
    train, held_out = parts if sizes == tuple(map(len, parts)) else phrasebook.split(*sizes, seed=1)
    sources = Counter(word for pair in train for word in words_of(pair.source.lower()))
    targets = Counter(word for pair in train for word in words_of(pair.target))
    assert all(sources[word] >= 10 for pair in held_out for word in words_of(pair.source.lower()))
    assert all(targets[word] >= 10 for pair in held_out for word in words_of(pair.target))


def test_vocabulary_is_large_and_evenly_used(parts):
    sources = Counter(word for pair in parts[0] for word in words_of(pair.source.lower()))
    targets = Counter(word for pair in parts[0] for word in words_of(pair.target.lower()))
    assert len(sources) >= 200 and len(targets) >= 200
    for noun in NOUNS:
        assert sources[noun.english] >= 60, noun
    for word in ADJECTIVES:
        assert sources[word.english] >= 60, word


def test_every_verb_is_used(drawn):
    texts = " ".join(pair.source.lower() for pair in drawn)
    for entry in VERBS:
        assert texts.count(f" {entry.english}") >= 60, entry


FIRST_TWO = [
    ("Must the child buy this pear?", "Muss das Kind diese Birne kaufen?"),
    (
        "This nice teacher calls the woman because he is happy.",
        "Dieser nette Lehrer ruft die Frau an, weil er glücklich ist.",
    ),
]


def test_same_seed_gives_same_pairs():
    assert phrasebook.split(300, 20, seed=4) == phrasebook.split(300, 20, seed=4)
    assert phrasebook.pairs(50, seed=4) != phrasebook.pairs(50, seed=5)
    assert [pair[:2] for pair in phrasebook.pairs(2, seed=0)] == FIRST_TWO
