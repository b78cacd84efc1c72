"""From settings to a corpus, vocabularies and batches."""

from __future__ import annotations

from ..datasets import Corpus, SentencePair, corpus
from ..errors import InputError
from ..text import Vocabulary
from ..training import Batches


def load_corpus(settings: dict) -> Corpus:
    """Return the pairs that the settings name: a made data set, or files with their validation files if given."""
    if settings.get("dataset"):
        return corpus.made(settings["dataset"], seed=settings["seed"])
    pairs = corpus.read_pairs(settings["src"], settings["tgt"])
    if settings.get("valid_src"):
        return Corpus(pairs, corpus.read_pairs(settings["valid_src"], settings["valid_tgt"]))
    return corpus.hold_out(pairs, seed=settings["seed"])


def build_vocabularies(settings: dict, pairs: list[SentencePair]) -> tuple[Vocabulary, Vocabulary]:
    """Return the source and target vocabularies; with tie "all" both have one joint list of tokens."""
    common = {"unit": settings["unit"], "min_count": settings["min_count"]}
    source_lower, target_lower = settings["lowercase"] in ("source", "both"), settings["lowercase"] == "both"
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    if settings.get("tie", "all") != "all":
        source = Vocabulary.build(sources, lowercase=source_lower, **common)
        return source, Vocabulary.build(targets, lowercase=target_lower, **common)
    folded = [line.lower() for line in sources] if source_lower else sources
    joint = Vocabulary.build(folded + targets, lowercase=target_lower, **common)
    return Vocabulary(joint.tokens, unit=joint.unit, lowercase=source_lower), joint


def usable_pairs(
    pairs: list[SentencePair], source: Vocabulary, target: Vocabulary, *, longest: int, what: str
) -> list[tuple[list[int], list[int]]]:
    """Return the ids of the pairs that have no empty side and, with <eos>, no more than `longest` tokens on a side.

    Raises `InputError` when none is left.
    """
    encoded = [(source.encode(pair.source), target.encode(pair.target)) for pair in pairs]
    usable = [(src, tgt) for src, tgt in encoded if src and tgt and max(len(src), len(tgt)) < longest]
    if not usable:
        raise InputError(
            f"none of the {what} pairs can be used ({len(pairs)} there are): each has an empty side, or more than "
            f"{longest} tokens with <eos> on one, the smaller of max_len and batch_tokens"
        )
    return usable


def make_batches(
    pairs: list[SentencePair],
    source: Vocabulary,
    target: Vocabulary,
    *,
    what: str,
    max_len: int,
    batch_tokens: int,
    seed: int,
) -> tuple[Batches, int]:
    """Return the batches of all usable pairs, and how many pairs were left out; errors call the pairs `what`."""
    usable = usable_pairs(pairs, source, target, longest=min(max_len, batch_tokens), what=what)
    return Batches(usable, batch_tokens=batch_tokens, seed=seed), len(pairs) - len(usable)
