"""The phrasebook: its words are many and evenly used, and the same seed draws the same pairs."""

from collections import Counter

from generators import phrasebook
from generators.phrasebook.nouns import ADJECTIVES, NOUNS
from generators.phrasebook.verbs import VERBS

from helpers import nouns as helper
from npformer.text import word_spans


def words_of(text):
    return [text[start:end] for start, end in word_spans(text)]


def test_vocabulary_is_large_and_evenly_used(drawn):
    sources = Counter(word for pair in drawn for word in words_of(pair.source.lower()))
    targets = Counter(word for pair in drawn for word in words_of(pair.target.lower()))
    assert len(sources) >= 200 and len(targets) >= 200
    for noun in NOUNS:
        assert sources[noun.english] >= 60, noun
    for word in ADJECTIVES:
        assert sources[word.english] >= 60, word


def test_every_verb_is_used(drawn):
    texts = " ".join(pair.source.lower() for pair in drawn)
    for entry in VERBS:
        assert texts.count(f" {entry.english}") >= 60, entry


def test_same_seed_gives_same_pairs():
    assert phrasebook.pairs(50, seed=4) == phrasebook.pairs(60, seed=4)[:50]
    assert phrasebook.pairs(50, seed=4) != phrasebook.pairs(50, seed=5)


def test_nouns_of_the_notebooks_are_those_of_the_phrasebook():
    expected = [(noun.german, noun.gender, noun.kind, noun.english) for noun in NOUNS]
    assert helper.NOUNS == tuple(expected)
