"""Language modeling: running text to a TextGenerator."""

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..datasets.own_files import read_document
from ..evaluation import LanguageModelScores
from ..text import EOS, PAD, AnyVocabulary, check_list, pad
from ..utils import InputError, setting
from .batches import Batch, EpochBatches, check_ids
from .objective import mean_loss
from .predictor import BATCH_TOKENS
from .task import Options, Task, build_text_vocabulary
from .text_generator import TextGenerator


@dataclass(eq=False)
class LanguageModelBatch(Batch):
    """Padded ids (B, T) and the ids one step later, (B, T).

    >>> batch = LanguageModelBatch.collate([[4, 5, 6], [7, 8]])
    >>> batch.ids.tolist(), batch.targets.tolist(), batch.n_tokens
    ([[4, 5], [7, 0]], [[5, 6], [8, 0]], 3)
    """

    ids: np.ndarray
    targets: np.ndarray

    @property
    def inputs(self) -> tuple:
        """What the model reads."""
        return (self.ids,)

    @classmethod
    def collate(cls, chunks) -> "LanguageModelBatch":
        """Make a batch of chunks of two or more ids."""
        inputs = [chunk[:-1] for chunk in chunks]
        targets = [chunk[1:] for chunk in chunks]
        return cls(pad(inputs, PAD), pad(targets, PAD))


class TextChunks:
    """Cut a running text into chunks of `length` tokens, and these into batches of at most `batch_tokens`.

    In every epoch the text is cut at other places and the chunks come in another order; both depend on the seed and
    the epoch's number alone. With `shuffle=False` the text is cut from its beginning, in order. `for batch in
    chunks` yields the batches of the first epoch, and `len(chunks)` is their number.

    Raises `InputError` when a text has fewer than two tokens or an id that is not a whole number above that of padding.

    >>> text = TextChunks(range(4, 14), length=4, batch_tokens=8, shuffle=False)
    >>> [batch.ids.tolist() for batch in text.epoch(1)]
    [[[4, 5, 6, 7], [8, 9, 10, 11]], [[12]]]
    """

    def __init__(
        self,
        ids: Sequence[int],
        *,
        length: int,
        batch_tokens: int,
        seed: int = 0,
        shuffle: bool = True,
    ):
        self.ids = np.asarray(ids)
        if self.ids.ndim != 1 or len(self.ids) < 2:
            raise InputError(
                f"the text has {self.ids.size} tokens: expected two or more, one to predict the next from"
            )
        check_ids(self.ids)
        self.length, self.batch_tokens, self.seed, self.shuffle = (
            length,
            batch_tokens,
            seed,
            shuffle,
        )

    def __len__(self):
        return len(self.epoch(1))

    def __iter__(self) -> Iterator[LanguageModelBatch]:
        return iter(self.epoch(1))

    def epoch(self, number: int) -> EpochBatches:
        """Return the batches of an epoch, counted from 1."""
        last = len(self.ids) - 1  # the last token is predicted, and predicts none
        starts = np.arange(0, last, self.length)
        if self.shuffle:
            rng = np.random.default_rng([self.seed, number])
            starts = np.arange(rng.integers(min(self.length, last)), last, self.length)
            starts = starts[rng.permutation(len(starts))]
        chunks = [self.ids[start : start + self.length + 1] for start in starts]
        n = max(self.batch_tokens // self.length, 1)
        groups = [range(i, min(i + n, len(chunks))) for i in range(0, len(chunks), n)]
        return EpochBatches(
            chunks,
            LanguageModelBatch.collate,
            groups,
            np.array([[len(chunk) - 1] for chunk in chunks]),
        )

    @cached_property
    def checksum(self) -> str:
        """A checksum of everything that decides the batches and their order."""
        how = (self.length, self.batch_tokens, self.seed, self.shuffle)
        return hashlib.sha256(repr(how).encode() + self.ids.tobytes()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class EvaluateLanguageModel(Options):
    """What `npformer evaluate` can be given for a run of language modeling."""

    text: str | None = setting(
        None, "file of a text to predict", none_is="the run's test or held-out one"
    )


@dataclass(frozen=True, kw_only=True)
class GenerateSettings(Options):
    """The options of `npformer generate`."""

    n: int = setting(200, "tokens to write", least=1)
    temperature: float = setting(
        1.0, "below 1 favors probable tokens, above 1 others; 0: the most probable", least=0
    )
    top_k: int | None = setting(
        None, "draw from the K most probable tokens alone", least=1, none_is="from all"
    )
    top_p: float | None = setting(
        None, "or from the fewest of this probability", above=0, most=1, none_is="from all"
    )
    seed: int | None = setting(
        None, "the same seed draws the same text", least=0, none_is="another text each time"
    )


class LanguageModelTask(Task):
    """Documents to a TextGenerator."""

    name, verb = "language_model", "generate"
    help = "Continue a text, token by token, as a trained language model draws them."
    predictor, batch = TextGenerator, LanguageModelBatch
    examples, streams = "tokens of text", True
    evaluate_settings, predict_settings = EvaluateLanguageModel, GenerateSettings

    def build_vocabularies(self, examples: Sequence[str], settings, model_settings):
        return (
            build_text_vocabulary(
                examples, settings, lowercase=settings.lowercase != "none", running=True
            ),
        )

    def make_batches(
        self, examples: Sequence[str], vocabularies, config, settings, *, held_out=False
    ):
        """Return the text in chunks of max_len tokens; nothing is left out."""
        sizes = {
            "length": config.max_len,
            "batch_tokens": settings.batch_tokens,
            "seed": settings.seed,
        }
        return TextChunks(_running_ids(examples, vocabularies[0]), shuffle=not held_out, **sizes), 0

    def score(self, predictor: TextGenerator, examples: Sequence[str], settings, batch_tokens):
        """Predict every token of the documents but the first, max_len tokens at a time.

        A chunk of max_len tokens begins without knowledge of what came before it.
        """
        ids = _running_ids(examples, predictor.text)
        chunks = TextChunks(
            ids, length=predictor.model.config.max_len, batch_tokens=batch_tokens, shuffle=False
        )
        folded = [predictor.text.folded(document) for document in examples]
        _, first_end = predictor.text.spans(folded[0])[0]  # the first token is not predicted
        n_characters = sum(map(len, folded)) - first_end
        return LanguageModelScores(len(ids) - 1, n_characters, mean_loss(predictor.model, chunks))

    def read_examples(self, predictor: TextGenerator, settings):
        return None if settings.text is None else [read_document(settings.text)]

    def predict(
        self, predictor: TextGenerator, texts, settings, *, first=1, batch_tokens=BATCH_TOKENS
    ):
        """Yield the prompt, and what continues it, piece by piece."""
        [prompt], max_len = texts, predictor.model.config.max_len
        if (length := len(predictor.encode(prompt))) > max_len:
            long = f"the prompt has {length} tokens, more than max_len = {max_len}"
            warnings.warn(f"{long}: only its last {max(max_len // 2, 1)} are read", stacklevel=2)
        how = {
            "temperature": settings.temperature,
            "top_k": settings.top_k,
            "top_p": settings.top_p,
        }
        yield prompt
        yield from predictor.stream(prompt, settings.n, **how, rng=settings.seed)

    def example(self, vocabularies, held_out: Sequence[str], config):
        """Return the first line of the held-out text that is not blank, at most max_len characters of it."""
        lines = (line for document in held_out for line in document.splitlines())
        return next(line for line in lines if line.strip())[: config.max_len]


def _running_ids(documents: Sequence[str], vocabulary: AnyVocabulary) -> list[int]:
    """Return the ids of documents one after another, an <eos> between two."""
    check_list(documents, "documents")
    return [i for document in documents for i in (EOS, *vocabulary.encode(document))][1:]
