"""Fonts for tokens of any script."""

import re
from collections.abc import Sequence
from typing import Any

from ...utils import import_optional

# matplotlib does not look for other fonts by itself
CJK_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
)


def drawable(tokens: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """Return tokens to draw, with white space made visible, and text settings for them.

    Characters that the style's font lacks come from an installed CJK font; where there is none,
    matplotlib warns.

    >>> tokens, settings = drawable(["the", " ", "$x$"])
    >>> tokens, settings["parse_math"]
    (['the', '␣', '$x$'], False)
    """
    font_manager = import_optional("matplotlib.font_manager", "npformer").fontManager
    installed = {font.name for font in font_manager.ttflist}
    families = list(import_optional("matplotlib", "npformer").rcParams["font.family"])
    families += [name for name in CJK_FONTS if name in installed]
    visible = []
    for token in tokens:
        # the space in "dragon <unk>" stays
        white_space = r"\s" if token.isspace() else r"[^\S ]"
        visible.append(re.sub(white_space, "␣", token))
    # a token such as $x$ is not a formula
    return visible, {"fontfamily": families, "parse_math": False}
