"""Times in both languages.

"He buys bread on Mondays" tells of a habit, and the simple present suits it. "He buys bread
today" does not: what is said of one time needs a modal verb or "be", as in "He wants to buy
bread today". A time of the clock suits both.
"""

ONCE = {
    "now": (("today", "heute"), ("now", "jetzt")),
    "day": (("on Monday", "am Montag"), ("on Friday", "am Freitag"), ("on Sunday", "am Sonntag")),
}
WEEKDAYS_AND_SEASONS = {
    "weekdays": (("on Mondays", "montags"), ("on Fridays", "freitags"), ("on Sundays", "sonntags")),
    "seasons": (("in summer", "im Sommer"), ("in winter", "im Winter")),
}
EVERY = {
    "every": (
        ("every day", "jeden Tag"),
        ("every morning", "jeden Morgen"),
        ("every evening", "jeden Abend"),
    ),
    "week": (("every week", "jede Woche"),),
}
CLOCK = {
    "clock": (
        ("at three", "um drei"),
        ("at five", "um fünf"),
        ("at six", "um sechs"),
        ("at seven", "um sieben"),
        ("at eight", "um acht"),
        ("at nine", "um neun"),
        ("at ten", "um zehn"),
        ("at eleven", "um elf"),
    )
}
FOR_MODALS = {**ONCE, **CLOCK}
FOR_HABITS = {**EVERY, **WEEKDAYS_AND_SEASONS, **CLOCK}
FOR_REFUSALS = WEEKDAYS_AND_SEASONS  # "not every day" would be another meaning
