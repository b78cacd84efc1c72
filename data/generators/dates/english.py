"""How English writes a date, British and American."""

from datetime import date

WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = (
    "January February March April May June July August September October November December".split()
)
DOTTED_MONTHS = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split()
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth "
    "eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth "
    "twenty-first twenty-second twenty-third twenty-fourth twenty-fifth "
    "twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()


def ordinal(number: int) -> str:
    """Return a number from 1 to 31 with its ending.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 22, 31)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '22nd', '31st']
    """
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number in (11, 12, 13) else endings.get(number % 10, 'th')}"


def written_forms(date: date) -> list[str]:
    """Return the ways in which English writes the date.

    Some may be the same, because "May" is its own abbreviation.

    >>> written_forms(date(2021, 3, 3))[:3]
    ['3 March 2021', 'on 3 March 2021', 'March 3, 2021']
    """
    day, year = date.day, date.year
    nth, nth_word = ordinal(day), ORDINALS[day - 1]
    weekday, month, dotted = (
        WEEKDAYS[date.weekday()],
        MONTHS[date.month - 1],
        DOTTED_MONTHS[date.month - 1],
    )
    wkd, mon = weekday[:3], month[:3]
    forms = [
        f"{day} {month} {year}",
        f"on {day} {month} {year}",
        f"{month} {day}, {year}",
        f"on {month} {day}, {year}",
        f"{nth} {month} {year}",
        f"{month} {nth}, {year}",
        f"the {nth} of {month} {year}",
        f"the {nth} of {month}, {year}",
        f"the {nth_word} of {month} {year}",
        f"on the {nth_word} of {month}, {year}",
        f"{month} the {nth_word}, {year}",
        f"{weekday}, {day} {month} {year}",
        f"{weekday} {day} {month} {year}",
        f"on {weekday}, {day} {month} {year}",
        f"{weekday}, {month} {day}, {year}",
        f"{weekday}, {month} {nth}, {year}",
        f"{weekday}, the {nth} of {month} {year}",
        f"{weekday} the {nth_word} of {month} {year}",
        f"{day} {mon} {year}",
        f"{mon} {day}, {year}",
        f"{dotted} {day}, {year}",
        f"{day} {dotted} {year}",
        f"{wkd}, {day} {mon} {year}",
        f"{wkd} {mon} {day}, {year}",
        f"{day:02}-{mon}-{year}",
    ]
    if has_two_digit_year(date):
        forms += [f"{day} {month} '{year % 100:02}", f"{day:02}-{mon}-{year % 100:02}"]
    if _has_slashes(date):
        forms += [f"{day:02}/{date.month:02}/{year}", f"{date.month:02}/{day:02}/{year}"]
    return forms


def has_two_digit_year(date: date) -> bool:
    """Return whether two digits can mean this year.

    69 to 99 mean 1969 to 1999, and 00 to 68 mean 2000 to 2068. This is the pivot of POSIX,
    and of Python's own `strptime("%y")`.

    >>> has_two_digit_year(date(1984, 3, 5)), has_two_digit_year(date(1954, 3, 5))
    (True, False)
    """
    return 1969 <= date.year <= 2068


def _has_slashes(date: date) -> bool:
    """Return whether the date can be written as 25/12/2021 and 12/25/2021 alike.

    A number above 12 is the day, and of equal numbers either can be. 03/04/2021 is 3 April in
    London and 4 March in New York, so it is not written.

    >>> _has_slashes(date(2021, 12, 25)), _has_slashes(date(2021, 3, 3))
    (True, True)
    >>> _has_slashes(date(2021, 3, 4))
    False
    """
    return date.day > 12 or date.day == date.month
