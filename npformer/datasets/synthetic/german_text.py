"""The German of the phrasebook as one text, a sentence a line: for learning to write without a download."""

from __future__ import annotations

from . import phrasebook


def split(*, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return a document to train on, of 20,000 sentences, and one of 500 that are held out: the phrasebook's own split.

    Each part is a list of one document. No sentence stands twice.
    """
    return tuple(["".join(f"{pair.target}\n" for pair in part)] for part in phrasebook.split(seed=seed))
