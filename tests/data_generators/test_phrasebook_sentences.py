"""The phrasebook: spelling and alignment of every sentence it draws."""

import re
from random import Random

import pytest
from generators.phrasebook import german, numbers
from generators.phrasebook.nouns import NOUNS
from generators.phrasebook.sentence_sampler import SentenceSampler

from npformer.text import word_spans


def words_of(text):
    return [text[start:end] for start, end in word_spans(text)]


@pytest.mark.long
def test_english_has_one_translation():
    sampler, translations = SentenceSampler(Random(1)), {}
    for _ in range(20_000):
        pair = sampler.sample()
        assert translations.setdefault(pair.source, pair.target) == pair.target


def test_alignment_is_complete(drawn):
    for pair in drawn:
        source, target = words_of(pair.source), words_of(pair.target)
        assert {i for i, _ in pair.alignment} == set(range(len(source))), pair
        assert {j for _, j in pair.alignment} == {
            j for j, word in enumerate(target) if word != ","
        }, pair
        assert list(pair.alignment) == sorted(set(pair.alignment))


def test_sentences_are_capitalized_and_punctuated(drawn):
    for source, target, _ in drawn:
        assert source[-1] == target[-1] and source[-1] in ".?"
        assert source[0].isupper() and target[0].isupper()
        assert 4 <= len(words_of(source)) <= 20 and 3 <= len(words_of(target)) <= 20
        assert "  " not in source + target and "'" not in source + target and "-" not in target
        assert target.count(",") == (" that " in source) + (" because " in source)


def test_only_german_nouns_are_capitalized(drawn):
    nouns = {
        word
        for noun in NOUNS
        for word in (
            noun.german,
            noun.german_plural,
            noun.oblique,
            german.dative_plural(noun.german_plural or "n"),
        )
    }
    nouns |= {
        "Jahre",
        "Tag",
        "Morgen",
        "Abend",
        "Montag",
        "Freitag",
        "Sonntag",
        "Woche",
        "Sommer",
        "Winter",
    }
    for pair in drawn:
        for word in words_of(pair.target)[1:]:
            assert word[0].isupper() == (word in nouns), (word, pair)


def test_only_numbers_are_hyphenated(drawn):
    hyphenated = [numbers.english(number) for number in range(21, 100) if number % 10]
    assert {word for pair in drawn for word in re.findall(r"\w+-\w+", pair.source.lower())} == set(
        hyphenated
    )
    in_two_words = re.compile(
        r"\b(" + "|".join(word.replace("-", " ") for word in hyphenated) + r")\b"
    )
    for pair in drawn:
        assert not in_two_words.search(pair.source.lower()), pair
        assert pair.source.count("-") == len(re.findall(r"\w-\w", pair.source)), pair
