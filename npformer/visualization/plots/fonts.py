"""Fonts for tokens of any script."""

import re
from collections.abc import Sequence

from ...utils import import_optional

CJK_FONTS = (  # matplotlib does not look for other fonts by itself
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Source Han Sans SC", "PingFang SC"),
    *(
        "Hiragino Sans GB",
        "Microsoft YaHei",
        "WenQuanYi Micro Hei",
        "WenQuanYi Zen Hei",
        "Droid Sans Fallback",
    ),
)


def drawable(tokens: Sequence[str]) -> tuple[list[str], dict]:
    """Return tokens to draw, with white space made visible, and the text settings to draw them with.

    Characters that the style's font lacks come from an installed CJK font; where there is none, matplotlib warns.

    >>> tokens, settings = drawable(["the", " ", "$x$"])
    >>> tokens, settings["parse_math"]
    (['the', '␣', '$x$'], False)
    """
    families = import_optional("matplotlib", "npformer").rcParams["font.family"]
    installed = {
        font.name
        for font in import_optional("matplotlib.font_manager", "npformer").fontManager.ttflist
    }
    tokens = [re.sub(r"\s" if token.isspace() else r"[^\S ]", "␣", token) for token in tokens]
    return tokens, {
        "fontfamily": [*families, *(f for f in CJK_FONTS if f in installed)],
        "parse_math": False,
    }
