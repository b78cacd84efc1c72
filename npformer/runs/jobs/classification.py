"""Runs of classification."""

from collections.abc import Sequence

from ...datasets import LabelledText
from ...decoding import TextClassifier
from ...evaluation import ClassificationScores, evaluate_labels
from ...models import ClassifierConfig
from ...tasks import Batches, ClassificationBatch
from ...text import AnyVocabulary, Labels, SubwordDropout, WordDropout, fits
from ...utils import InputError
from .job import Job


class ClassificationJob(Job):
    """Labelled texts to a TextClassifier; a picture of the confusion matrix."""

    task = "classification"

    def vocabularies(self, examples: Sequence[LabelledText], model: dict) -> tuple[AnyVocabulary, Labels]:
        """Return the vocabulary of the texts and the names of the classes."""
        return self.text_vocabulary(example.text for example in examples), Labels.build(e.label for e in examples)

    def batches(
        self, examples: Sequence[LabelledText], vocabularies: tuple, config: ClassifierConfig, *, held_out=False
    ) -> tuple[Batches, int]:
        """Return the batches of all usable texts, held-out ones without dropout, and how many texts were left out."""
        settings, (text, labels) = self.settings, vocabularies
        longest, what = min(config.max_len, settings.batch_tokens), "held-out" if held_out else "training"
        encoded = [(text.encode(example.text), labels.id(example.label), example.text) for example in examples]
        usable = [(ids, label, read) for ids, label, read in encoded if fits(ids, longest)]
        if not usable:
            rule = f"more than {longest} tokens with <bos>, the smaller of max_len and batch_tokens"
            raise InputError(f"none of {len(examples)} {what} texts can be used: each is empty, or has {rule}")
        ids, right, texts = map(list, zip(*usable, strict=True))
        recut = None if held_out else self.recut(text, texts, ids, right, longest)
        sizes = {"batch_tokens": settings.batch_tokens, "seed": settings.seed}
        batches = Batches(list(zip(ids, right, strict=True)), kind=ClassificationBatch, recut=recut, **sizes)
        return batches, len(examples) - len(usable)

    def recut(self, vocabulary: AnyVocabulary, texts: list[str], ids: list, right: list[int], longest: int):
        """Return how an epoch reads the texts: cut into other subwords, or some tokens hidden; None for as they are."""
        settings = self.settings
        cut = hidden = None
        if settings.subword_dropout:
            cut = SubwordDropout(vocabulary, texts, share=settings.subword_dropout, seed=settings.seed)
        if settings.word_dropout or settings.rare_word_dropout:
            shares = {"share": settings.word_dropout, "rare": settings.rare_word_dropout}
            hidden = WordDropout(ids, **shares, seed=settings.seed)

        def as_read(epoch: int) -> list:
            read = ids
            if cut:
                read = [new if fits(new, longest) else old for new, old in zip(cut.epoch(epoch), ids, strict=True)]
            return list(zip(hidden.epoch(read, epoch) if hidden else read, right, strict=True))

        return as_read if cut or hidden else None

    def evaluate(self, learnt: TextClassifier, held_out: Sequence[LabelledText], **how) -> ClassificationScores:
        """Name the classes of texts and score that; arguments as in `evaluation.evaluate_labels`."""
        return evaluate_labels(learnt, held_out, **how)

    def example(self, vocabularies: tuple, held_out: Sequence[LabelledText], config: ClassifierConfig) -> str:
        """Return the longest of the first ten held-out texts that can be read."""
        return self.longest_usable((example.text for example in held_out), vocabularies[0], config)

    def draw(self, learnt: TextClassifier, held_out: Sequence[LabelledText], folder) -> None:
        """Draw which classes of the held-out texts are taken for which."""
        from ..figures import draw_confusion

        draw_confusion(self.evaluate(learnt, held_out), folder.confusion_path)
