"""The phrasebook: English as people speak it, and sentences that make sense."""

import re

import pytest
from generators.phrasebook import numbers

MODAL = r"\b(can|cannot|may|must|wants?)\b"
AGAIN = r"\b(every (day|morning|evening|week)|on (mon|fri|sun)days|in (summer|winter))\b"
LARGE = r"\b(" + "|".join(numbers.english(number) for number in range(13, 100)) + r")\b"


@pytest.fixture(scope="module")
def clauses(drawn):
    """Every clause in small letters, as (English, German); a question keeps its mark."""
    both = [
        (
            re.split(" that | because ", pair.source.lower()),
            re.split(", dass |, weil ", pair.target.lower()),
        )
        for pair in drawn
    ]
    return [clause for english, target in both for clause in zip(english, target, strict=True)]


def clauses_matching(clauses, pattern):
    """The English clauses in which a pattern is found, which are some."""
    found = [english for english, _ in clauses if re.search(pattern, english)]
    assert found
    return found


def test_rain_is_in_the_progressive(drawn):
    texts = " ".join(pair.source for pair in drawn)
    assert "because it is raining." in texts and "rains" not in texts


def test_clauses_about_one_time_have_a_modal_verb_or_be(clauses):
    for english in clauses_matching(clauses, r"\b(now|today|on (mon|fri|sun)day)\b"):
        assert re.search(MODAL + r"|\b(am|is|are)\b", english), english


def test_looking_for_something_has_a_modal_verb(clauses):
    for english in clauses_matching(clauses, r"\blooks? for\b"):
        assert re.search(MODAL, english), english


def test_may_is_a_permission(drawn):
    for pair in drawn:
        if "may" in pair.source.lower().split():
            assert pair.source[-1] == "?" or re.search(r"\byou may\b", pair.source.lower()), pair
        assert not re.search(r"\bmay you\b", pair.source.lower()), pair


def test_present_tense_is_not_mistakable_for_past(clauses):
    for english in clauses_matching(clauses, r"\b(read|put on)\b"):
        assert re.search(rf"{MODAL}|{AGAIN}|\b(do|does)\b", english), english


def test_large_numbers_occur_only_with_suitable_verbs(clauses):
    for english in clauses_matching(clauses, LARGE):
        assert re.search(r"years old|\b(has|have|sees?|buys?)\b", english), english


def test_ages_are_rare_and_of_one_person(drawn):
    ages = [pair.source for pair in drawn if "years old" in pair.source]
    assert len(ages) <= 0.06 * len(drawn)
    for english in ages:
        assert "are" not in english.lower().split() or re.search(
            r"\b(you are|are you)\b", english.lower()
        ), english


def test_kein_occurs_only_with_suitable_verbs(clauses):
    for english, target in clauses:
        if re.search(r"\bkein", target):
            assert re.search(r"\b(have|has|buy|see|find|eat|drink|read|write)\b", english), english


def test_objects_of_love_and_with_make_sense(clauses):
    for english in clauses_matching(clauses, r"\bloves?\b"):
        assert re.search(r"\b(dog|cat|bird|horse)s?[.?]?$", english), english
    for english in clauses_matching(clauses, r"\bwith\b"):
        assert re.search(r"\bwith (the|this|these|my|your)\b", english), english


def test_plural_subjects_do_not_share_one_small_object(clauses):
    small = r"(apple|cake|pear|egg|letter|postcard|coat|jacket|shirt)"
    for english in clauses_matching(clauses, r"^(we|they|these) .*\b(eat|write|put on)\b"):
        assert not re.search(rf"\b{small}\b", english), english
