"""Dates in all the ways in which English and German write them, and in ISO 8601."""

import datetime

import numpy as np

from npformer.datasets import SentencePair

from . import english, german

__all__ = ["pairs", "written_forms"]

FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)
N_DATES = (LAST - FIRST).days + 1


def written_forms(date: datetime.date) -> list[str]:
    """Return all the different ways in which this data set writes a date, English first.

    >>> forms = written_forms(datetime.date(2021, 5, 25))
    >>> len(forms), forms[0], forms[-1]
    (48, '25 May 2021', '25.5.21')
    >>> "25/05/2021" in forms, "am Dienstag, dem fünfundzwanzigsten Mai 2021" in forms
    (True, True)
    """
    return list(dict.fromkeys(english.written_forms(date) + german.written_forms(date)))


def pairs(n: int, *, seed: int = 0) -> list[SentencePair]:
    """Draw n different dates, each in one form.

    >>> pair = pairs(2)[0]
    >>> pair.source, pair.target
    ('31. Mär 2084', '2084-03-31')
    """
    rng = np.random.default_rng(seed)
    days = rng.permutation(N_DATES)[:n]
    return [_pair(FIRST + datetime.timedelta(int(day)), rng) for day in days]


def _pair(date: datetime.date, rng: np.random.Generator) -> SentencePair:
    forms = written_forms(date)
    return SentencePair(forms[rng.integers(len(forms))], date.isoformat())
