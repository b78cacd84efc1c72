"""The options of the search for a translation, which several verbs take."""

from ..decoding.translator import ALPHA, BATCH_TOKENS, BEAM
from .options import whole_number


def add_search_options(parser, *names: str) -> None:
    """Add --beam, --alpha and --batch-tokens, or those that are named."""
    for name, kind, default, text in (
        ("beam", whole_number(1), BEAM, "hypotheses at a time, 1: greedy"),
        ("alpha", float, ALPHA, "length penalty, 0: none"),
        ("batch-tokens", whole_number(1), BATCH_TOKENS, "tokens that are read at a time, about"),
    ):
        if not names or name in names:
            help = f"{text} (default {default})"
            parser.add_argument(f"--{name}", type=kind, default=default, metavar="N", help=help)


def search_settings(options) -> dict:
    """Return what the options say."""
    return {name: getattr(options, name) for name in ("beam", "alpha", "batch_tokens")}
