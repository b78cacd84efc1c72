"""Runs of classification."""

from collections.abc import Sequence

from ...base import InputError
from ...datasets import LabelledText
from ...decoding import Labeller
from ...evaluation import LabelEvaluation, evaluate_labels
from ...tasks import Batches, LabelledBatch
from ...text import AnyVocabulary, Labels, SubwordDropout, fits
from .job import Job


class ClassificationJob(Job):
    """Labelled texts to a Labeller; a picture of the confusion matrix."""

    task = "classification"

    def vocabularies(self, examples: Sequence[LabelledText], model: dict) -> tuple[AnyVocabulary, Labels]:
        """Return the vocabulary of the texts and the names of the classes."""
        return self.text_vocabulary(example.text for example in examples), Labels.build(e.label for e in examples)

    def batches(
        self, examples: Sequence[LabelledText], vocabularies: tuple, max_len: int, *, held_out=False
    ) -> tuple[Batches, int]:
        """Return the batches of all usable texts, held-out ones without dropout, and how many texts were left out."""
        settings, (text, labels) = self.settings, vocabularies
        longest, what = min(max_len, settings.batch_tokens), "held-out" if held_out else "training"
        encoded = [(text.encode(example.text), labels.id(example.label), example.text) for example in examples]
        usable = [(ids, label, read) for ids, label, read in encoded if fits(ids, longest)]
        if not usable:
            rule = f"more than {longest} tokens with <bos>, the smaller of max_len and batch_tokens"
            raise InputError(f"none of {len(examples)} {what} texts can be used: each is empty, or has {rule}")
        ids = [(ids, label) for ids, label, _ in usable]
        recut = None
        if settings.subword_dropout and not held_out:
            texts = [read for *_, read in usable]
            cutter = SubwordDropout(text, texts, share=settings.subword_dropout, seed=settings.seed)

            def recut(epoch):
                both = zip(cutter.epoch(epoch), ids, strict=True)
                return [(new if fits(new, longest) else old, label) for new, (old, label) in both]

        sizes = {"batch_tokens": settings.batch_tokens, "seed": settings.seed}
        return Batches(ids, kind=LabelledBatch, recut=recut, **sizes), len(examples) - len(usable)

    def evaluate(self, learnt: Labeller, held_out: Sequence[LabelledText], **how) -> LabelEvaluation:
        """Name the classes of texts and score that; arguments as in `evaluation.evaluate_labels`."""
        return evaluate_labels(learnt, held_out, **how)

    def example(self, vocabularies: tuple, held_out: Sequence[LabelledText], max_len: int) -> str:
        """Return the longest of the first ten held-out texts that can be read."""
        return self.longest_usable((example.text for example in held_out), vocabularies[0], max_len)
