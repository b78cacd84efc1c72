"""The options of the search for a translation, which several verbs take."""

from ..decoding.translator import ALPHA, BATCH_TOKENS, BEAM
from .options import whole_number


def add_search_options(parser) -> None:
    """Add beam, alpha and batch tokens."""
    for option, kind, default, text in (
        ("--beam", whole_number(1), BEAM, "hypotheses at a time, 1: greedy"),
        ("--alpha", float, ALPHA, "length penalty, 0: none"),
        ("--batch-tokens", whole_number(1), BATCH_TOKENS, "source tokens of a batch, about"),
    ):
        parser.add_argument(option, type=kind, default=default, metavar="N", help=f"{text} (default {default})")


def search_settings(options) -> dict:
    """Return what the options say."""
    return {name: getattr(options, name) for name in ("beam", "alpha", "batch_tokens")}
