import pytest

from npformer import InputError
from npformer.datasets import phrasebook
from npformer.text import BPEVocabulary, Vocabulary, word_spans, words_of_tokens

TEXTS = [
    "He gets up, today?!",
    "  zwei  Hunde\t auf ",
    "Größe: 3,5 €",
    "don't_go twenty-four 山 👩\u200d🚀",
    "",
    " ",
]


@pytest.fixture(scope="module")
def subwords():
    return BPEVocabulary.build([*TEXTS, "?! ?! don't don't Hunde Hunde hunde die die"], size=320)


@pytest.fixture(params=["word", "character", "bpe"])
def vocabulary(request, subwords):
    return subwords if request.param == "bpe" else Vocabulary.build(TEXTS, tokenizer=request.param)


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_map_to_overlapping_words(vocabulary, text):
    spans, words = vocabulary.spans(text), word_spans(text)
    belongs = words_of_tokens(vocabulary, text)
    assert len(belongs) == len(spans) == len(vocabulary.encode(text))
    by_hand = [
        tuple(n for n, (first, last) in enumerate(words) if first < end and start < last)
        for start, end in spans
    ]
    assert belongs == by_hand
    assert {n for token in belongs for n in token} == set(range(len(words)))


def test_word_tokens_map_to_themselves():
    for pair in phrasebook.split(50, 0)[0]:
        for side in (pair.source, pair.target):
            vocabulary = Vocabulary.build([side], lowercase=True)
            assert words_of_tokens(vocabulary, side) == [(n,) for n in range(len(word_spans(side)))]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenizer", ["word", "character"])
def test_spans_of_words_and_characters_match_tokens(text, lowercase, tokenizer):
    vocabulary = Vocabulary.build([text], tokenizer=tokenizer, lowercase=lowercase)
    stood = [text[start:end] for start, end in vocabulary.spans(text)]
    assert [token.lower() if lowercase else token for token in stood] == vocabulary.split(text)


@pytest.mark.parametrize(
    "text",
    [
        "e\u0301t\u00e9",
        "the \u0130",
        # one character less, and one more
        "\u0130e\u0301",
        "a \u0958 b e\u0301",
    ],
)
def test_spans_that_reading_would_move_are_refused(text):
    for tokenizer in ("word", "character"):
        vocabulary = Vocabulary.build([text], tokenizer=tokenizer, lowercase=True)
        with pytest.raises(InputError, match="characters that become more or fewer"):
            vocabulary.spans(text)


def test_spans_of_letters_that_are_read_otherwise():
    """A final sigma depends on its neighbors, and the sign for angstrom is the letter."""
    text = " ΟΔΟΣ Σ \u212b "
    vocabulary = Vocabulary.build([text], lowercase=True)
    assert vocabulary.split(text) == ["οδος", "\u03c3", "\u00e5"]
    assert vocabulary.spans(text) == [(1, 5), (6, 7), (8, 9)]


def test_spans_of_subwords_match_text(subwords):
    text = "die Hunde, 山"
    stood = [text[start:end] for start, end in subwords.spans(text)]
    assert list(zip(subwords.split(text), stood, strict=True)) == [
        *(("die▁", "die"), ("hunde⇧", "Hunde"), ("‿,▁", ",")),
        *(("\\xe5", "山"), ("\\xb1", "山"), ("\\xb1", "山"), ("▁", "山")),
    ]
