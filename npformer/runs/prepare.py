"""From settings and pairs to vocabularies, batches and a trainer."""

from collections.abc import Iterator

import numpy as np

from ..base import default_workers
from ..datasets import SentencePair
from ..models import Transformer, TransformerConfig
from ..tasks import Batches, Objective, encode_pairs, usable_pairs
from ..text import AnyVocabulary, SubwordDropout, SubwordVocabulary, Vocabulary, fits
from ..text.vocabulary import SPECIALS
from ..training import Adam, FlatParameters, Trainer, WarmupSchedule
from .settings import TrainingSettings

MANY = 4  # workers a core
Sides = tuple[AnyVocabulary, AnyVocabulary]  # source and target


def odd_settings(settings: TrainingSettings, sides: Sides) -> Iterator[str]:
    """Yield a line for each setting that can be worked with, but hardly is what was meant."""
    for side, vocabulary in zip(("source", "target"), sides, strict=True):
        if len(vocabulary) == len(SPECIALS):
            none_left = f"min_count = {settings.min_count} leaves no token of the {side} side"
            yield f"{none_left}, and all is read as <unk>: lower it"
    if settings.workers > MANY * (cores := default_workers()):
        yield f"workers = {settings.workers} are many for {cores} cores: one a core is what helps"


def build_vocabularies(settings: TrainingSettings, pairs: list[SentencePair], *, joint: bool) -> Sides:
    """Return the source and target vocabularies; with subwords or `joint` both have one list of tokens."""
    if settings.unit == "subwords":
        lines = (line for pair in pairs for line in (pair.source, pair.target))
        subwords = SubwordVocabulary.build(lines, size=settings.vocab_size)
        return subwords, subwords
    common = {"unit": settings.unit, "min_count": settings.min_count}
    source_lower, target_lower = settings.lowercase in ("source", "both"), settings.lowercase == "both"
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    if not joint:
        source = Vocabulary.build(sources, lowercase=source_lower, **common)
        return source, Vocabulary.build(targets, lowercase=target_lower, **common)
    folded = [line.lower() for line in sources] if source_lower else sources
    both = Vocabulary.build(folded + targets, lowercase=target_lower, **common)
    return Vocabulary(both.tokens, unit=both.unit, lowercase=source_lower), both


def make_batches(
    pairs: list[SentencePair], sides: Sides, settings: TrainingSettings, max_len: int, *, held_out: bool = False
) -> tuple[Batches, int]:
    """Return the batches of all usable pairs, held-out ones without dropout, and how many pairs were left out."""
    longest, seed = min(max_len, settings.batch_tokens), settings.seed
    usable = usable_pairs(encode_pairs(pairs, *sides), longest=longest, what="held-out" if held_out else "training")
    ids = [(src, tgt) for _, src, tgt in usable]
    recut = None
    if settings.subword_dropout and not held_out:
        texts = zip(*((pair.source, pair.target) for pair, *_ in usable), strict=True)
        cutters = [SubwordDropout(sides[0], lines, share=settings.subword_dropout, seed=seed) for lines in texts]

        def recut(epoch):
            cut = zip(*(cutter.epoch(epoch) for cutter in cutters), strict=True)
            pairs_of_ids = zip(cut, ids, strict=True)
            return [new if all(fits(side, longest) for side in new) else old for new, old in pairs_of_ids]

    return Batches(ids, batch_tokens=settings.batch_tokens, seed=seed, recut=recut), len(pairs) - len(usable)


def make_trainer(settings: TrainingSettings, config: TransformerConfig, batches: Batches) -> Trainer:
    """Return the trainer of a fresh model."""
    model = Transformer(config, rng=np.random.default_rng(settings.seed))
    schedule = WarmupSchedule(config.d_model, settings.warmup_steps)
    if settings.learning_rate is not None:
        schedule = WarmupSchedule.with_peak(settings.learning_rate, config.d_model, settings.warmup_steps)
    betas = {"beta1": settings.beta1, "beta2": settings.beta2, "eps": settings.adam_eps}
    adam = Adam(FlatParameters(model.parameters()), learning_rate=schedule, **betas)
    objective = Objective(model, label_smoothing=settings.label_smoothing)
    how = {"accumulate": settings.accumulate, "clip_norm": settings.clip_norm, "workers": settings.workers}
    return Trainer(objective, adam, batches, **how)
