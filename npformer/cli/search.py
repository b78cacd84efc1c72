"""The options of the search for a translation, which several verbs take."""

from ..decoding.hypotheses import LENGTH_PENALTIES
from ..decoding.translator import ALPHA, BATCH_TOKENS, BEAM, PENALTY
from .options import whole_number

PENALTIES = "log P is divided by ((5 + length) / 6)^alpha as in Wu et al. 2016, or by length^alpha as in Marian"


def add_search_options(parser, *names: str) -> None:
    """Add --beam, --alpha, --penalty and --batch-tokens, or those that are named."""
    count = {"type": whole_number(1), "metavar": "N"}
    for name, default, text, told in (
        ("beam", BEAM, "hypotheses at a time, 1: greedy", count),
        ("alpha", ALPHA, "length penalty, 0: none", {"type": float, "metavar": "N"}),
        ("penalty", PENALTY, PENALTIES, {"choices": LENGTH_PENALTIES}),
        ("batch-tokens", BATCH_TOKENS, "tokens that are read at a time, about", count),
    ):
        if not names or name in names:
            parser.add_argument(f"--{name}", default=default, help=f"{text} (default {default})", **told)


def search_settings(options) -> dict:
    """Return what the options say."""
    return {name: getattr(options, name) for name in ("beam", "alpha", "penalty", "batch_tokens")}
