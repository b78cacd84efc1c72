"""How German writes a date. Numbers between full stops are always day, month, year."""

from datetime import date

from .english import has_two_digit_year

WEEKDAYS = "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split()
MONTHS = (
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
)
DOTTED_MONTHS = "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.".split()
ORDINAL_STEMS = (
    "erst zweit dritt viert fünft sechst siebt acht neunt zehnt "
    "elft zwölft dreizehnt vierzehnt fünfzehnt sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst "
    "einundzwanzigst zweiundzwanzigst dreiundzwanzigst vierundzwanzigst fünfundzwanzigst "
    "sechsundzwanzigst siebenundzwanzigst achtundzwanzigst neunundzwanzigst "
    "dreißigst einunddreißigst"
).split()


def written_forms(date: date) -> list[str]:
    """Return the ways in which German writes the date.

    Some may be the same, because "Mai" is its own abbreviation.

    >>> written_forms(date(2021, 3, 3))[:3]
    ['3. März 2021', 'am 3. März 2021', 'der 3. März 2021']
    """
    day, year = date.day, date.year
    stem = ORDINAL_STEMS[day - 1]
    weekday, month, dotted = (
        WEEKDAYS[date.weekday()],
        MONTHS[date.month - 1],
        DOTTED_MONTHS[date.month - 1],
    )
    wkd, mon = weekday[:2], month[:3]
    digits = f"{day:02}.{date.month:02}.{year}"
    forms = [
        f"{day}. {month} {year}",
        f"am {day}. {month} {year}",
        f"der {day}. {month} {year}",
        f"den {day}. {month} {year}",
        f"{stem}er {month} {year}",
        f"der {stem}e {month} {year}",
        f"am {stem}en {month} {year}",
        f"{weekday}, {day}. {month} {year}",
        f"{weekday}, der {day}. {month} {year}",
        f"{weekday}, den {day}. {month} {year}",
        f"am {weekday}, dem {day}. {month} {year}",
        f"{weekday}, der {stem}e {month} {year}",
        f"am {weekday}, dem {stem}en {month} {year}",
        f"{day}. {mon} {year}",
        f"{day}. {dotted} {year}",
        f"am {day}. {dotted} {year}",
        f"{wkd}, {day}. {mon} {year}",
        f"{wkd}., {day}. {dotted} {year}",
        digits,
        f"am {digits}",
        f"{weekday}, {digits}",
        f"{wkd}, {digits}",
        f"{day}.{date.month}.{year}",
        f"{day}. {date.month}. {year}",
    ]
    if has_two_digit_year(date):
        forms += [
            f"{day:02}.{date.month:02}.{year % 100:02}",
            f"{day}.{date.month}.{year % 100:02}",
        ]
    return forms
