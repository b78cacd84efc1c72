"""The options of the search for a translation, which several verbs take."""

from dataclasses import asdict

from ..decoding import Translator
from ..decoding.batching import BATCH_TOKENS
from ..decoding.beam_settings import Search
from ..utils import settings_of
from .options import described, whole_number


def add_search_options(parser, *names: str) -> None:
    """Add --beam, --alpha, --penalty and --batch-tokens, or those that are named."""
    count = {"type": whole_number(1), "metavar": "N"}
    told = {name: described(known) | {"default": None} for name, known in settings_of(Search).items()}
    told["beam"] |= count
    told["alpha"] |= {"metavar": "N"}
    for name in ("alpha", "beam", "penalty"):
        told[name]["help"] = told[name]["help"].removesuffix(")") + ", or what an imported model came with)"
    told["batch-tokens"] = count | {
        "default": BATCH_TOKENS,
        "help": "tokens that are read at a time, about (default %(default)s)",
    }
    for name, how in told.items():
        if not names or name in names:
            parser.add_argument(f"--{name}", **how)


def search_settings(options, translator: Translator) -> dict:
    """Return what the options say, and what the model has for those that say nothing."""
    said = {name: getattr(options, name) for name in settings_of(Search)}
    given = {name: value for name, value in said.items() if value is not None}
    return asdict(translator.search) | given | {"batch_tokens": options.batch_tokens}
