"""Numbers from 2 to 99 as words.

English says the tens first and puts a hyphen between, "twenty-four"; German says the units
first and writes one word, "vierundzwanzig" (four-and-twenty).
"""

ENGLISH = (
    "zero one two three four five six seven eight nine "
    "ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
GERMAN = (
    "null eins zwei drei vier fünf sechs sieben acht neun "
    "zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn"
).split()
GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()


def english(number: int) -> str:
    """Spell a number in English.

    >>> english(12), english(30), english(84)
    ('twelve', 'thirty', 'eighty-four')
    """
    if number < 20:
        return ENGLISH[number]
    tens, units = divmod(number, 10)
    if not units:
        return ENGLISH_TENS[tens - 2]
    return f"{ENGLISH_TENS[tens - 2]}-{ENGLISH[units]}"


def german(number: int) -> str:
    """Spell a number in German; "eins" loses its s before "und".

    >>> german(12), german(30), german(84), german(21)
    ('zwölf', 'dreißig', 'vierundachtzig', 'einundzwanzig')
    """
    if number < 20:
        return GERMAN[number]
    tens, units = divmod(number, 10)
    if not units:
        return GERMAN_TENS[tens - 2]
    return ("ein" if units == 1 else GERMAN[units]) + "und" + GERMAN_TENS[tens - 2]
