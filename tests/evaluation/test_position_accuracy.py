"""What is compared place by place, counted by hand; and when `evaluate` does so."""

import pytest

from npformer import InputError
from npformer.datasets import SentencePair
from npformer.evaluation import PositionScores, bleu_and_chrf, position_scores
from npformer.tasks import Translation, Translator, evaluate
from npformer.text import Vocabulary

LINES = ("天高雲淡", "月，白風清", "地遠山青", "日，紅雨細")  # made up


@pytest.fixture
def make_translator(make_model):
    def make(tokenizer="character", lowercase=False, lines=LINES):
        vocabulary = Vocabulary.build(lines, tokenizer=tokenizer, lowercase=lowercase)
        sizes = {"src_vocab_size": len(vocabulary), "tgt_vocab_size": len(vocabulary)}
        return Translator(
            make_model(max_len=20, tie_embeddings="none", **sizes), vocabulary, vocabulary
        )

    return make


@pytest.fixture
def writes(monkeypatch):
    """Let every translator write these texts."""

    def write(*texts):
        found = [[Translation(text, 0.0)] for text in texts]
        monkeypatch.setattr(Translator, "translations", lambda self, sources, **how: found)

    return write


def shares(sources, references, answers):
    return [round(share, 4) for share in position_scores(sources, references, answers)]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["地遠山青", "日，紅雨細"], [1, 1, 1, 1]),  # the references
        (["天高雲淡", "月，白風清"], [1 / 9, 1 / 9, 1, 0]),  # the sources: only the comma is right
        (["遠地青山", "日，紅雨細"], [5 / 9, 1, 1, 1]),  # all characters, some at other places
        (["地地地地", "日日"], [2 / 9, 2 / 6, 1 / 2, 1]),  # each counts once, as in the reference
        (
            ["地遠山青青青", "月，紅雨細"],
            [8 / 9, 8 / 11, 1 / 2, 1 / 2],
        ),  # longer; 月 is the source's
        (["地", ""], [1 / 9, 1, 0, 1]),
        (["", ""], [0, 0, 0, 1]),
        (["風山", "，日紅雨細"], [3 / 9, 6 / 7, 1 / 2, 1]),  # a comma at another place
    ],
)
def test_position_scores_equal_hand_calculation(answers, expected):
    assert shares(LINES[:2], LINES[2:], answers) == [round(share, 4) for share in expected]


def test_repeats_are_compared_by_position_without_punctuation():
    """天 at the first place, 天 at another, the comma at its place, a digit at its place."""
    sources, answers = ["天，高7"] * 4, ["天，遠8", "遠，天8", "遠，近8", "遠，近7"]
    assert position_scores(sources, answers, answers).without_repeat == 0.5


def test_length_and_repeats_of_an_answer_are_compared_with_its_source():
    found = position_scores(["ab", "ab"], ["abc", "xbc"], ["ab", "xy"])
    assert (found.equal_length, found.without_repeat) == (1, 0.5)


@pytest.mark.parametrize(
    ("source", "reference", "answer", "expected"),
    [
        ("ab", "a<unk>", "a<unk>", [1, 1, 1, 0]),
        ("a", "b\n", "b\n", [1, 1, 0, 1]),  # a line end is a character too
        ("a", "", "b", [0, 0, 1, 1]),
    ],
)
def test_unknown_tokens_line_ends_and_empty_references(source, reference, answer, expected):
    assert shares([source], [reference], [answer]) == expected


def test_table_has_one_line_per_share():
    assert PositionScores(0.125, 0.25, 0.5, 0.75).table() == (
        "position      12.5% of the references' characters are at their place\n"
        "unigrams      25.0% of the characters written are the reference's\n"
        "equal length  50.0% of the answers are as long as their source\n"
        "no repeat     75.0% of the answers have no letter of their source at its place"
    )


def test_position_scores_exist_for_equal_length_references(make_translator, writes):
    answers = ["地遠山清", "月，紅"]
    writes(*answers)
    pairs = [SentencePair(f" {a}", f"{b}\n") for a, b in zip(LINES[:2], LINES[2:], strict=True)]
    found = evaluate(make_translator(), pairs)
    assert found.positions == position_scores(LINES[:2], LINES[2:], answers)
    table = found.table()
    assert (
        table.endswith(found.positions.table())
        and "on characters " in table
        and "model's tokens" not in table
    )
    by_character = bleu_and_chrf(answers, LINES[2:], tokenize="char")
    assert found.tokens.bleu == pytest.approx(by_character.bleu)


def test_no_position_scores_for_unequal_lengths_or_words(make_translator, writes):
    writes("地遠", "地遠")
    uneven = [SentencePair("天高", "地遠"), SentencePair("月白", "日紅雨")]
    found = evaluate(make_translator(), uneven)
    assert found.positions is None
    even = [SentencePair("天高", "地遠"), SentencePair("月白", "日紅")]
    words = evaluate(make_translator("word"), even)
    assert words.positions is None and "position" not in words.table()


@pytest.mark.parametrize("number", range(3))
def test_one_text_in_the_place_of_several_is_rejected(number):
    lists = [["ab"], ["ab"], ["ab"]]
    lists[number] = "ab"
    with pytest.raises(InputError, match=r"^'ab' is one text: expected several texts, such as "):
        position_scores(*lists)


def test_nothing_to_score_is_rejected():
    with pytest.raises(InputError, match=r"^there are no answers to score: give at least one"):
        position_scores([], [], [])


def test_lists_of_different_lengths_are_rejected():
    with pytest.raises(InputError) as caught:
        position_scores(["ab", "c"], ["ab", "c"], ["ab"])
    assert str(caught.value) == (
        "there are 2 sources, 2 references and 1 answers: expected the same number"
    )
