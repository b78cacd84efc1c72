import pytest

from npformer import InputError
from npformer.evaluation import bleu_and_chrf, moses_tokens

REFERENCE = "the cat sat on the mat today ."


def test_bleu_is_geometric_mean_of_precisions():
    """Of 8, 7, 6, 5 n-grams 7, 5, 4, 3 agree, and the lengths are the same."""
    scores = bleu_and_chrf([REFERENCE.replace("cat", "dog")], [REFERENCE], tokenize="none")
    assert scores.bleu == pytest.approx(100 * (7 / 8 * 5 / 7 * 4 / 6 * 3 / 5) ** 0.25)


def test_signature_has_the_tokenizer():
    assert "tok:13a" in bleu_and_chrf([REFERENCE], [REFERENCE]).bleu_signature
    assert "tok:none" in bleu_and_chrf([REFERENCE], [REFERENCE], tokenize="none").bleu_signature


@pytest.mark.parametrize(
    ("translations", "references"), [([], []), (["a"], ["a", "b"]), (["a"], [])]
)
def test_unequal_number_of_references_is_rejected(translations, references):
    counts = f"there are {len(translations)} translations and {len(references)} references: "
    with pytest.raises(InputError) as caught:
        bleu_and_chrf(translations, references)
    expected = f"{counts}expected a reference for each translation, and one at least"
    assert str(caught.value) == expected


@pytest.mark.parametrize("side", ["translations", "references"])
def test_one_text_in_the_place_of_several_is_rejected(side):
    sides = {"translations": ["ab"], "references": ["ab"], side: "ab"}
    with pytest.raises(InputError, match=f"^'ab' is one text: expected several {side}, such as "):
        bleu_and_chrf(**sides)


@pytest.mark.parametrize("other", [["ab"], None, b"ab"])
@pytest.mark.parametrize("side", ["translations", "references"])
def test_what_is_no_text_is_rejected(side, other):
    """Among them a list of references for each translation, as other programs take it."""
    sides = {"translations": ["ab", "c"], "references": ["ab", "c"], side: ["ab", other]}
    with pytest.raises(InputError) as caught:
        bleu_and_chrf(**sides)
    assert str(caught.value) == f"{side} has {other!r}: expected one text for each sentence"


def test_tokenization_that_sacrebleu_does_not_have_is_rejected():
    with pytest.raises(InputError, match=r"^tokenize = 'moses': expected one of none, .*, 13a, "):
        bleu_and_chrf([REFERENCE], [REFERENCE], tokenize="moses")


def test_language_that_moses_does_not_know_is_rejected():
    message = "^Moses has no rules for the language 'xx': expected one of as, bn, ca, .*, de, "
    with pytest.raises(InputError, match=message):
        moses_tokens(["a"], "xx")
    with pytest.raises(InputError, match=r"^'ab' is one text: expected several lines"):
        moses_tokens("ab", "de")


def test_moses_tokens():
    lines = moses_tokens(
        ["Ein „Mann“ geht -- mit 3,5 Hunden z.B. heim!", "A man's dog, isn't it?"], "de"
    )
    assert lines[0] == "ein &quot; mann &quot; geht -- mit 3,5 hunden z.b. heim !"
    assert moses_tokens(["A man's dog, isn't it?"], "en") == [
        "a man &apos;s dog , isn &apos;t it ?"
    ]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("fr", "l&apos; homme , 3,000 &quot; ans &quot; ,"),
        ("en", "l &apos;homme , 3.000 &quot; ans , &quot;"),
    ],
)
def test_each_language_has_its_own_punctuation_and_tokens(language, expected):
    assert moses_tokens(['L\'homme, 3\u00a0000 "ans",'], language) == [expected]
