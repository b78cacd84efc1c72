"""When may a date be written short? Only where the short form still names one date.

>>> has_two_digit_year(date(1984, 3, 5)), has_two_digit_year(date(1954, 3, 5))
(True, False)
>>> has_slashes(date(2021, 12, 25)), has_slashes(date(2021, 3, 3)), has_slashes(date(2021, 3, 4))
(True, True, False)
"""

from datetime import date


def has_two_digit_year(date: date) -> bool:
    """Return whether two digits stand for this year: 69 to 99 mean 1969 to 1999, and 00 to 68 mean 2000 to 2068.

    This is the pivot of POSIX, and of Python's own `strptime("%y")`.
    """
    return 1969 <= date.year <= 2068


def has_slashes(date: date) -> bool:
    """Return whether 25/12/2021 can be told from 12/25/2021: a number above 12 is the day, equal numbers are both.

    03/04/2021 is 3 April in London and 4 March in New York, so nobody writes it here.
    """
    return date.day > 12 or date.day == date.month
