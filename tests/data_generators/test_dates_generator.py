"""Every written form is read back by a parser that knows nothing of the code that wrote it."""

import datetime
import re

import pytest
from generators import dates

from npformer.datasets.shipped import read_pairs

GOLD = {
    "2021-03-03": (
        "3 March 2021; March 3, 2021; March 3rd, 2021; 3rd March 2021; the 3rd of March 2021; "
        "the third of March 2021; March the third, 2021; Wednesday, 3 March 2021; "
        "Wednesday, March 3rd, 2021; "
        "Wed, 3 Mar 2021; Mar 3, 2021; Mar. 3, 2021; 03-Mar-2021; "
        "03-Mar-21; 3 March '21; 03/03/2021; "
        "3. März 2021; am 3. März 2021; am dritten März 2021; "
        "der dritte März 2021; dritter März 2021; "
        "Mittwoch, den 3. März 2021; am Mittwoch, dem 3. März 2021; "
        "am Mittwoch, dem dritten März 2021; "
        "Mi., 3. März 2021; 3. Mär 2021; 03.03.2021; 3.3.2021; "
        "3. 3. 2021; 03.03.21; 3.3.21; Mi, 03.03.2021"
    ).split("; "),
    "2000-02-29": [
        "29 February 2000",
        "Tuesday, February 29th, 2000",
        "02/29/2000",
        "29/02/2000",
        "29.2.00",
    ],
    "1999-12-31": [
        "Friday, 31 December 1999",
        "31.12.99",
        "am einunddreißigsten Dezember 1999",
        "Fr, 31. Dez 1999",
    ],
    "2019-12-01": [
        "1. Dez. 2019",
        "So., 1. Dez. 2019",
        "Sonntag, der erste Dezember 2019",
        "December 1st, 2019",
    ],
    "1984-09-22": [
        "Sept. 22, 1984",
        "on the twenty-second of September, 1984",
        "22. Sept. 1984",
        "Sa, 22. Sep 1984",
    ],
    "1969-05-12": [
        "May 12th, 1969",
        "12 May '69",
        "12. Mai 1969",
        "12.05.69",
        "Montag, 12.05.1969",
    ],
    "2068-06-07": ["7 June 2068", "07-Jun-68", "7. Juni 2068", "7.6.68", "am siebten Juni 2068"],
    "2013-11-13": ["November 13th, 2013", "am dreizehnten November 2013"],
    "1900-01-01": ["Monday, January 1, 1900", "Montag, 01.01.1900"],
    "2099-10-30": [
        "on Friday, 30 October 2099",
        "Freitag, den 30. Oktober 2099",
        "dreißigster Oktober 2099",
    ],
}
MONTHS = {
    1: "jan",
    2: "feb",
    3: "mar mär",
    4: "apr",
    5: "may mai",
    6: "jun",
    7: "jul",
    8: "aug",
    9: "sep",
}
MONTHS |= {10: "oct okt", 11: "nov", 12: "dec dez"}
WEEKDAYS = "mon mo|tue di|wed mi|thu do|fri fr|sat sa|sun so".split("|")
ENGLISH_UNITS = "first second third fourth fifth sixth seventh eighth ninth".split()
ENGLISH_TEENS = (
    "ten eleven twelf thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
GERMAN_UNITS = "ein zwei drei vier fünf sechs sieben acht neun".split()
GERMAN_TEENS = (
    "zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn".split()
)


def number_words():
    """Return the number of each ordinal word, built in another way than in the generator."""
    english = ENGLISH_UNITS + [teen + "th" for teen in ENGLISH_TEENS] + ["twentieth"]
    english += ["twenty-" + unit for unit in ENGLISH_UNITS] + ["thirtieth", "thirty-first"]
    german = "erst zweit dritt viert fünft sechst siebt acht neunt".split() + [
        teen + "t" for teen in GERMAN_TEENS
    ]
    german += (
        ["zwanzigst"]
        + [unit + "undzwanzigst" for unit in GERMAN_UNITS]
        + ["dreißigst", "einunddreißigst"]
    )
    numbers = {word: number for number, word in enumerate(english, 1)}
    return numbers | {
        stem + end: number for number, stem in enumerate(german, 1) for end in ("e", "en", "er")
    }


ORDINALS = number_words()


def read(text):
    """Return the date that a text names, after checking its weekday if it has one."""
    if slashes := re.fullmatch(r"(\d\d)/(\d\d)/(\d{4})", text):
        one, two, year = map(int, slashes.groups())
        readings = {(one, two), (two, one)}
        (date,) = {datetime.date(year, month, day) for month, day in readings if month <= 12}
        return date
    words = re.findall(r"\d+|[a-zäöüß]+(?:-[a-z]+)?", text.lower())
    numbers = [word for word in words if word.isdigit()]
    year = numbers.pop()
    if len(year) == 2:
        year = datetime.datetime.strptime(year, "%y").year
    day = (
        int(numbers.pop(0))
        if numbers
        else next(ORDINALS[word] for word in words if word in ORDINALS)
    )
    named = [
        month for month, names in MONTHS.items() if any(word[:3] in names.split() for word in words)
    ]
    (month,) = named or map(int, numbers)
    date = datetime.date(int(year), month, day)
    english, german = WEEKDAYS[date.weekday()].split()
    others = [
        name
        for day_names in WEEKDAYS
        for name in day_names.split()
        if name not in (english, german)
    ]
    assert not any(
        re.match(rf"(on |am )?({name}|{name}[a-z]*(day|tag|woch))\b", text.lower())
        for name in others
    ), text
    return date


@pytest.mark.parametrize(("iso", "texts"), GOLD.items())
def test_handwritten_forms_are_generated_and_parsed(iso, texts):
    """Forms written by hand are among the written forms, and the parser reads them correctly."""
    date = datetime.date.fromisoformat(iso)
    assert set(texts) <= set(dates.written_forms(date))
    assert [read(text) for text in texts] == [date] * len(texts)


@pytest.mark.long
@pytest.mark.parametrize("year", [1900, 1969, 2024, 2068, 2099])
def test_every_date_form_is_parsed_back(year):
    """Every form of every day of the year is read back to that day."""
    for day in range(
        datetime.date(year, 1, 1).toordinal(), datetime.date(year, 12, 31).toordinal() + 1
    ):
        date = datetime.date.fromordinal(day)
        forms = dates.written_forms(date)
        assert len(forms) == len(set(forms)) > 35
        for form in forms:
            assert read(form) == date, form


def test_parser_rejects_incorrect_weekday():
    """The parser would see a wrong weekday, so the other tests check weekdays too."""
    for text in [
        "Tuesday, 3 March 2021",
        "am Dienstag, dem 3. März 2021",
        "Di., 3. März 2021",
        "Tue, 3 Mar 2021",
    ]:
        with pytest.raises(AssertionError):
            read(text)


def test_ambiguous_forms_are_not_generated():
    """No slashes where day and month could be exchanged, no two-digit year beyond the pivot."""
    assert not any("/" in form for form in dates.written_forms(datetime.date(2021, 4, 3)))
    assert not any(
        re.search(r"\D\d\d$", form) for form in dates.written_forms(datetime.date(1968, 12, 31))
    )
    assert not any(
        re.search(r"\D\d\d$", form) for form in dates.written_forms(datetime.date(2069, 1, 1))
    )


def test_shipped_dates_name_what_they_say():
    for source, target, _ in read_pairs("dates")[:3000]:
        assert read(source).isoformat() == target


def test_same_seed_gives_same_dates():
    assert dates.pairs(50, seed=1) == dates.pairs(50, seed=1) != dates.pairs(50, seed=2)
