"""Tokens as they can be drawn: in a font that has their characters."""

import re
import unicodedata
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from ...utils import import_optional

BOX, SPACE = "□", "␣"
FAMOUS = (  # sans-serif fonts for Chinese, preferred to others that would do
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",  # the first in the file that holds all of Noto Sans CJK, and so what matplotlib calls it
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "SimHei",
    "Droid Sans Fallback",
)
CHINESE = "for example Noto Sans CJK (on Debian and Ubuntu the package fonts-noto-cjk)"


def drawable(tokens: Sequence[str]) -> tuple[list[str], dict]:
    """Return tokens to draw, and the text settings to draw them with.

    The font is the style's own; characters that it lacks come from an installed font that has them. Where none has,
    they become boxes and one warning names them. White space is shown, except spaces within a name, and "$" is no
    formula.

    >>> drawable(["the", " ", "$x$"])
    (['the', '␣', '$x$'], {'fontfamily': ['sans-serif'], 'parse_math': False})
    """
    tokens = [re.sub(r"\s" if token.isspace() else r"[^\S ]", SPACE, token) for token in tokens]
    manager = import_optional("matplotlib.font_manager", "npformer")
    families = list(import_optional("matplotlib", "npformer").rcParams["font.family"])
    missing = {character for token in tokens for character in token}
    for family in families:
        missing -= found_in(manager.findfont(manager.FontProperties(family=[family])), missing)
    while missing:
        name, found = best_font(missing)
        if found != missing and look_for_new_fonts():
            continue
        if not found:
            warn(missing)
            table = str.maketrans(dict.fromkeys(missing, BOX))
            tokens = [token.translate(table) for token in tokens]
            break
        families.append(name)
        missing -= found
    return tokens, {"fontfamily": families, "parse_math": False}


def is_ideograph(token: str) -> bool:
    """Tell whether a token is a single broad character, such as one of Chinese.

    >>> is_ideograph("世"), is_ideograph("世界"), is_ideograph("a")
    (True, False, False)
    """
    return len(token) == 1 and unicodedata.east_asian_width(token) in "WF"


def look_for_new_fonts() -> bool:
    """Add fonts that were installed after matplotlib made its list, which it keeps for good; tell whether some were.

    A second call finds nothing, for to look takes a tenth of a second.
    """
    manager = import_optional("matplotlib.font_manager", "npformer")
    before = len(manager.fontManager.ttflist)
    add_unlisted()
    return len(manager.fontManager.ttflist) > before


@cache
def add_unlisted() -> None:
    """Add the system's fonts to matplotlib's list of this process, once."""
    manager = import_optional("matplotlib.font_manager", "npformer")
    listed = {entry.fname for entry in manager.fontManager.ttflist}
    for file in sorted({*manager.findSystemFonts()} - listed):
        with suppress(OSError, RuntimeError):  # damaged, or no font
            manager.fontManager.addfont(file)


def found_in(file: str, characters: set[str]) -> set[str]:
    """Return those of some characters that a font file has glyphs for."""
    try:
        font = import_optional("matplotlib.font_manager", "npformer").get_font(file)
    except (OSError, RuntimeError):  # listed, but gone or damaged since
        return set()
    return {character for character in characters if font.get_char_index(ord(character))}


def best_font(characters: set[str]) -> tuple[str, set[str]]:
    """Return the upright installed font that has most of some characters, and which it has."""
    manager = import_optional("matplotlib.font_manager", "npformer").fontManager
    files = {}
    for entry in manager.ttflist:
        if entry.style == "normal" and not entry.name.startswith("Last Resort"):  # which has a box for everything
            files.setdefault(entry.name, entry.fname)
    names = sorted(files, key=lambda name: (FAMOUS.index(name) if name in FAMOUS else len(FAMOUS), name))
    best, most = "", set()
    for name in names:
        found = found_in(files[name], characters)
        if len(found) > len(most):
            best, most = name, found
        if most == characters:
            break
    return best, most


def warn(missing: set[str]) -> None:
    """Say which characters no installed font has."""
    named = [character if character.isprintable() else f"U+{ord(character):04X}" for character in sorted(missing)]
    shown = " ".join(named[:10]) + (" ..." if len(missing) > 10 else "")
    came = f"no installed font has the characters {shown} and they are drawn as {BOX}"
    warnings.warn(f"{came}: install one that has them, for Chinese {CHINESE}", stacklevel=4)
