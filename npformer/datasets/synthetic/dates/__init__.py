"""Dates as people write them, in English and German, to ISO 8601: a small task with a right answer.

Character by character, the model must find day, month and year, learn the names of the months and the ordinals of
two languages, and see that the weekday adds nothing. The dates are those of the real calendar from 1900 to 2099.

A source always names one date, by these rules:

- numbers between full stops are German: day, month, year;
- numbers between slashes are written only where their order can be seen: a day above 12, or day and month equal;
- two digits mean a year from 1969 to 2068, and a year outside these is written in full.
"""

import datetime

import numpy as np

from ....utils.errors import InputError
from ...data_set import SentencePair
from . import english, german

__all__ = ["split", "written_forms"]

FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)
N_DATES = (LAST - FIRST).days + 1


def written_forms(date: datetime.date) -> list[str]:
    """Return all the different ways, English first, in which this data set writes a `datetime.date`.

    >>> forms = written_forms(datetime.date(2021, 5, 25))
    >>> len(forms), forms[0], forms[-1]
    (48, '25 May 2021', '25.5.21')
    >>> "25/05/2021" in forms, "am Dienstag, dem fünfundzwanzigsten Mai 2021" in forms
    (True, True)
    """
    return list(dict.fromkeys(english.written_forms(date) + german.written_forms(date)))


def split(
    n_train: int = 20_000, n_held_out: int = 500, *, seed: int = 0
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Return two lists of `SentencePair`, to train on and held out, in which every date comes once, in one form.

    So no held-out date is in train, in whatever form. A larger `n_train` adds to train and leaves the rest alone.

    >>> train, held_out = split(n_train=3, n_held_out=1)
    >>> for pair in train:
    ...     print(pair.source, "->", pair.target)
    Tuesday, December 25, 2074 -> 2074-12-25
    6. Oktober 2098 -> 2098-10-06
    den 30. Januar 1939 -> 1939-01-30
    """
    if min(n_train, n_held_out) < 0 or n_train + n_held_out > N_DATES:
        raise InputError(
            f"dates.split got n_train = {n_train} and n_held_out = {n_held_out}: neither may be negative, and "
            f"together at most {N_DATES}, the dates from {FIRST} to {LAST}. Ask for fewer."
        )
    rng = np.random.default_rng(seed)
    days = rng.permutation(N_DATES)[: n_held_out + n_train]
    pairs = [_pair(FIRST + datetime.timedelta(int(day)), rng) for day in days]
    return pairs[n_held_out:], pairs[:n_held_out]


def _pair(date: datetime.date, rng: np.random.Generator) -> SentencePair:
    forms = written_forms(date)
    return SentencePair(forms[rng.integers(len(forms))], date.isoformat())
