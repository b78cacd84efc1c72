"""The options of the search for a translation, which several verbs take."""

from __future__ import annotations

from ..decoding.translator import ALPHA, BATCH_TOKENS, BEAM
from .parser import whole_number


def add_search_options(parser) -> None:
    """Add beam, alpha and batch tokens."""
    beam = f"hypotheses at a time, 1: greedy (default {BEAM})"
    parser.add_argument("--beam", type=whole_number(1), default=BEAM, metavar="N", help=beam)
    alpha = f"length penalty, 0: none (default {ALPHA})"
    parser.add_argument("--alpha", type=float, default=ALPHA, metavar="A", help=alpha)
    tokens = f"source tokens of a batch, about (default {BATCH_TOKENS})"
    parser.add_argument("--batch-tokens", type=whole_number(1), default=BATCH_TOKENS, metavar="N", help=tokens)


def search_settings(options) -> dict:
    """Return what the options say."""
    return {name: getattr(options, name) for name in ("beam", "alpha", "batch_tokens")}
