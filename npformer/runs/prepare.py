"""From settings to a corpus, vocabularies and batches."""

from __future__ import annotations

from ..base.errors import InputError
from ..datasets import Corpus, SentencePair, corpus, multi30k
from ..tasks import Batches, encode_pairs, usable_pairs
from ..text import AnyVocabulary, SubwordDropout, SubwordVocabulary, Vocabulary, fits


def load_corpus(settings: dict) -> Corpus:
    """Return the pairs that the settings name: a data set, or files with their validation files if given."""
    if settings.get("dataset") == "multi30k":
        return Corpus(*multi30k.load(settings["direction"]))
    if settings.get("dataset"):
        return corpus.made(settings["dataset"], seed=settings["seed"])
    pairs = corpus.read_pairs(settings["src"], settings["tgt"])
    if settings.get("valid_src"):
        return Corpus(pairs, corpus.read_pairs(settings["valid_src"], settings["valid_tgt"]))
    return corpus.hold_out(pairs, seed=settings["seed"])


def target_language(settings: dict) -> str | None:
    """Return the code of the language that is translated into, where the data set tells it."""
    return settings["direction"].split("-")[1] if settings.get("dataset") == "multi30k" else None


def build_vocabularies(settings: dict, pairs: list[SentencePair]) -> tuple[AnyVocabulary, AnyVocabulary]:
    """Return the source and target vocabularies; with subwords or tie "all" both have one joint list of tokens.

    Raises `InputError` when subwords are to be folded, which could not be undone.
    """
    if settings["unit"] == "subwords":
        if settings["lowercase"] != "none":
            raise InputError("subwords keep the case of the text: leave out --lowercase")
        lines = (line for pair in pairs for line in (pair.source, pair.target))
        subwords = SubwordVocabulary.build(lines, size=settings["vocab_size"])
        return subwords, subwords
    common = {"unit": settings["unit"], "min_count": settings["min_count"]}
    source_lower, target_lower = settings["lowercase"] in ("source", "both"), settings["lowercase"] == "both"
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    if settings["tie"] != "all":
        source = Vocabulary.build(sources, lowercase=source_lower, **common)
        return source, Vocabulary.build(targets, lowercase=target_lower, **common)
    folded = [line.lower() for line in sources] if source_lower else sources
    joint = Vocabulary.build(folded + targets, lowercase=target_lower, **common)
    return Vocabulary(joint.tokens, unit=joint.unit, lowercase=source_lower), joint


def make_batches(
    pairs: list[SentencePair],
    source: AnyVocabulary,
    target: AnyVocabulary,
    *,
    what: str,
    max_len: int,
    batch_tokens: int,
    seed: int,
    subword_dropout: float = 0.0,
) -> tuple[Batches, int]:
    """Return the batches of all usable pairs, and how many pairs were left out; errors call the pairs `what`.

    Raises `InputError` when merges are to be left out, and tokens are no subwords.
    """
    longest = min(max_len, batch_tokens)
    usable = usable_pairs(encode_pairs(pairs, source, target), longest=longest, what=what)
    ids = [(src, tgt) for _, src, tgt in usable]
    recut = None
    if subword_dropout:
        if source.unit != "subwords":
            raise InputError("only subwords can be cut anew: leave out --subword-dropout, or give --unit subwords")
        texts = zip(*((pair.source, pair.target) for pair, *_ in usable), strict=True)
        sides = [SubwordDropout(source, lines, share=subword_dropout, seed=seed) for lines in texts]

        def recut(epoch):
            cut = zip(*(side.epoch(epoch) for side in sides), strict=True)
            pairs_of_ids = zip(cut, ids, strict=True)
            return [new if all(fits(side, longest) for side in new) else old for new, old in pairs_of_ids]

    return Batches(ids, batch_tokens=batch_tokens, seed=seed, recut=recut), len(pairs) - len(usable)
