r"""Text split into words as GPT-2 splits it: the space before a word is a part of the word.

Radford et al. 2019, section 2.2, and the pattern in OpenAI's encoder.py:

    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

Python's `re` has no \p{L} and \p{N}, and its \s has four characters more than Unicode's.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

# Unicode's White_Space; re's \s and str.isspace also have U+001C to U+001F
SPACES = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def gpt2_words(text: str) -> list[str]:
    """Return the words of a text; joined they are the text.

    >>> gpt2_words("He'll  pay 12.50 €!")
    ['He', "'ll", ' ', ' pay', ' 12', '.', '50', ' €!']
    """
    return _pattern().findall(text)


# reading the categories of all characters takes a fraction of a second, so not at import
@cache
def _pattern() -> re.Pattern[str]:
    """Return GPT-2's pattern, with a list of ranges for each class of characters."""
    letters = _ranges_of("L")
    numbers = _ranges_of("N")
    alternatives = [
        "'(?:[stmd]|re|ve|ll)",
        f" ?[{letters}]+",
        f" ?[{numbers}]+",
        f" ?[^{SPACES}{letters}{numbers}]+",
        # of several spaces the last one is left to the next word
        f"[{SPACES}]+(?![^{SPACES}])",
        f"[{SPACES}]+",
    ]
    return re.compile("|".join(alternatives))


def _ranges_of(kind: str) -> str:
    """Return the characters of a kind, such as "L" for letters, as the inside of [...] in `re`."""
    ranges = ""
    start = None
    for code in range(sys.maxunicode + 2):
        # one code after the last, so that the last range ends too
        is_member = code <= sys.maxunicode and unicodedata.category(chr(code))[0] == kind
        if is_member and start is None:
            start = code
        elif not is_member and start is not None:
            ranges += f"{chr(start)}-{chr(code - 1)}"
            start = None
    return ranges
