"""Runs of translation."""

from collections.abc import Sequence

from ...datasets import SentencePair
from ...decoding import Translator
from ...evaluation import Evaluation, evaluate
from ...models import TransformerConfig
from ...tasks import Batches, TranslationBatch, encode_pairs, filter_pairs
from ...tasks.batches import pair_fits
from ...text import AnyVocabulary, SubwordDropout, SubwordVocabulary, Vocabulary
from .job import Job


class TranslationJob(Job):
    """Sentence pairs to a Translator; a picture of where it looks."""

    task = "translation"

    def vocabularies(self, examples: Sequence[SentencePair], model: dict) -> tuple[AnyVocabulary, AnyVocabulary]:
        """Return the source and target vocabularies; with subwords or one table for all, both have one list."""
        settings = self.settings
        if settings.unit == "subwords":
            lines = (line for pair in examples for line in (pair.source, pair.target))
            subwords = SubwordVocabulary.build(lines, size=settings.vocab_size)
            return subwords, subwords
        common = {"unit": settings.unit, "min_count": settings.min_count}
        source_lower, target_lower = settings.lowercase in ("source", "both"), settings.lowercase == "both"
        sources, targets = [pair.source for pair in examples], [pair.target for pair in examples]
        if model.get("tie", TransformerConfig.tie) != "all":
            source = Vocabulary.build(sources, lowercase=source_lower, **common)
            return source, Vocabulary.build(targets, lowercase=target_lower, **common)
        folded = [line.lower() for line in sources] if source_lower else sources
        both = Vocabulary.build(folded + targets, lowercase=target_lower, **common)
        return Vocabulary(both.tokens, unit=both.unit, lowercase=source_lower), both

    def batches(
        self, examples: Sequence[SentencePair], vocabularies: tuple, config: TransformerConfig, *, held_out=False
    ) -> tuple[Batches, int]:
        """Return the batches of all usable pairs, held-out ones without dropout, and how many pairs were left out."""
        settings = self.settings
        longest, seed = min(config.max_len, settings.batch_tokens), settings.seed
        encoded = encode_pairs(examples, *vocabularies)
        what, marks = "held-out" if held_out else "training", config.source_marks
        usable = filter_pairs(encoded, longest=longest, marks=marks, what=what)
        ids = [(src, tgt) for _, src, tgt in usable]
        recut = None
        if settings.subword_dropout and not held_out:
            texts = zip(*((pair.source, pair.target) for pair, *_ in usable), strict=True)
            share = settings.subword_dropout
            cutters = [SubwordDropout(vocabularies[0], lines, share=share, seed=seed) for lines in texts]

            def recut(epoch):
                cut = zip(*(cutter.epoch(epoch) for cutter in cutters), strict=True)
                pairs_of_ids = zip(cut, ids, strict=True)
                return [new if pair_fits(*new, longest, marks) else old for new, old in pairs_of_ids]

        how = {"batch_tokens": settings.batch_tokens, "seed": seed, "recut": recut}
        batches = Batches(ids, kind=TranslationBatch.of_model(config), **how)
        return batches, len(examples) - len(usable)

    def evaluate(self, learnt: Translator, held_out: Sequence[SentencePair], **how) -> Evaluation:
        """Translate pairs and score that; arguments as in `evaluation.evaluate`."""
        return evaluate(learnt, held_out, **{"language": self.settings.target_language(), **how})

    def example(self, vocabularies: tuple, held_out: Sequence[SentencePair], config: TransformerConfig) -> str:
        """Return the longest of the first ten held-out sentences that can be translated."""
        return self.longest_usable((pair.source for pair in held_out), vocabularies[0], config)

    def draw(self, learnt: Translator, held_out: Sequence[SentencePair], folder) -> None:
        """Draw where the model looks while it translates `example`."""
        from ..figures import draw_attention

        sentence = self.example((learnt.source, learnt.target), held_out, learnt.model.config)
        draw_attention(learnt, sentence, folder.attention_path)

    def text_sides(self, vocabularies: tuple) -> dict[str, AnyVocabulary]:
        """Return the vocabularies of source and target."""
        return dict(zip(("source", "target"), vocabularies, strict=True))
