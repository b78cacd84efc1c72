"""Dates as people write them, in English and German, to ISO 8601: a small task with a right answer.

Character by character, the model must find day, month and year, learn the names of the months and
the ordinals of two languages, and see that the weekday adds nothing. The 20,500 dates are of the
real calendar from 1900 to 2099.

A source always names one date, by these rules:

- numbers between full stops are German: day, month, year;
- numbers between slashes are written only where their order can be seen: a day above 12, or day
  and month equal;
- two digits mean a year from 1969 to 2068, and a year outside these is written in full.
"""

from __future__ import annotations

from .data_set import SentencePair
from .shipped import check_sizes, read_pairs, shuffled


def split(
    n_train: int = 20_000, n_held_out: int = 500, *, seed: int = 0
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Return pairs to train on and held-out pairs; every date comes once, in one form.

    So no held-out date is in train, in whatever form.

    Arguments:
        n_train: how many pairs to train on; more of them add to train and change nothing else
        n_held_out: how many pairs are held out
        seed: which pairs are taken, and which of them are held out; there are no others

    Raises `InputError` when there are not so many pairs.

    >>> train, held_out = split(n_train=3, n_held_out=1)
    >>> for pair in train:
    ...     print(pair.source, "->", pair.target)
    Tuesday, December 25, 2074 -> 2074-12-25
    6. Oktober 2098 -> 2098-10-06
    den 30. Januar 1939 -> 1939-01-30
    """
    all_pairs = read_pairs("dates")
    check_sizes("dates", (n_train, n_held_out), len(all_pairs))
    pairs = shuffled(all_pairs, seed)
    # the held-out pairs come first, so that n_train does not change them
    return pairs[n_held_out : n_held_out + n_train], pairs[:n_held_out]
