"""The protocol of a task, and the registry of all tasks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ..models import StackConfig
from ..module import Module
from ..text import AnyVocabulary, SubwordVocabulary, Vocabulary, fits
from ..text.vocabulary import SPECIALS
from ..utils import InputError, Rng, check_settings
from .objective import Objective
from .predictor import BATCH_TOKENS, Predictor


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a verb. Raises `InputError` when one is out of range."""

    def __post_init__(self):
        check_settings(self)


class Task:
    """All that training, run folders and the command line know of a task.

    A new task is a subclass in a file of its own and one call of `register`. `predictor` is the `Predictor` whose
    class attributes name its model, config and sides; `batch` is the class whose `collate(examples)` makes a batch.
    `settings` are those of a training (`runs.settings.TrainingSettings`); `vocabularies` has one for each side, and
    `examples` are what a data set of this task holds.
    """

    name: str  # in config.json and in data sets
    verb: str  # of the command line, such as "translate"
    help: str  # one line about the verb
    predictor: type[Predictor]
    batch: type
    counted = "token"  # what a batch counts in `n_tokens`
    examples = "examples"  # what len(batches) counts, in words
    read_field: str  # of an example, the text that the model reads
    streams = False  # whether `predict` continues one text, in pieces, instead of answering each text with lines
    evaluate_settings: type = (
        Options  # options of `npformer evaluate`: files, and arguments of `evaluate`
    )
    predict_settings: type = Options  # options of the verb

    def build_vocabularies(self, examples: Sequence, settings, model_settings: dict) -> tuple:
        """Return a vocabulary for each side of a model with these settings."""
        raise NotImplementedError

    def make_batches(
        self,
        examples: Sequence,
        vocabularies: tuple,
        config: StackConfig,
        settings,
        *,
        held_out: bool = False,
    ) -> tuple:
        """Return the batches of all usable examples, and how many examples were left out.

        The batches are an object such as `Batches`, with `epoch(number)`, `checksum` and a length. Held-out examples
        are read as they are, others with what the settings randomize.
        """
        raise NotImplementedError

    def make_model(self, config: StackConfig, rng: Rng) -> Module:
        """Return an untrained model."""
        return self.predictor.model_class(config, rng=rng)

    def objective(self, model: Module, settings) -> Module:
        """Return what training differentiates."""
        return Objective(model, label_smoothing=settings.label_smoothing)

    def evaluate(
        self,
        predictor: Predictor,
        examples: Sequence,
        *,
        batch_tokens: int = BATCH_TOKENS,
        **options,
    ):
        """Return the scores of a predictor, which have `table()` and `examples(n)`, both of them text.

        `options` are those of `evaluate_settings`.
        """
        return self.score(predictor, examples, self.evaluate_settings(**options), batch_tokens)

    def score(self, predictor: Predictor, examples: Sequence, settings, batch_tokens: int):
        """Return what `evaluate` returns; `settings` are an instance of `evaluate_settings`."""
        raise NotImplementedError

    def evaluate_defaults(self, settings) -> dict:
        """Return the options of `evaluate` that follow from the settings of a training."""
        return {}

    def read_examples(self, predictor: Predictor, settings) -> list | None:
        """Return the examples in the files that `evaluate_settings` name, None where they name none."""
        return None

    def predict(
        self, predictor: Predictor, texts, settings, *, first=1, batch_tokens=BATCH_TOKENS
    ) -> Iterator[str]:
        """Yield the output for each text, None for one that cannot be used; the first has the number `first`.

        A task that `streams` is given one text, and yields what follows it piece by piece.
        """
        raise NotImplementedError

    def example(self, vocabularies: tuple, held_out: Sequence, config: StackConfig) -> str:
        """Return a held-out text to try the predictor with: the longest of the first ten that it can read."""
        texts = (getattr(example, self.read_field) for example in held_out)
        usable = (
            text
            for text in texts
            if fits(vocabularies[0].encode(text), config.max_len, config.source_marks)
        )
        return max(islice(usable, 10), key=len)


TASKS: dict[str, Task] = {}


def register(task: Task) -> None:
    """Make a task known by its name."""
    TASKS[task.name] = task


def evaluate(predictor: Predictor, examples: Sequence, **options):
    """Return the scores of a predictor on examples of its task; `options` as in `Task.evaluate`."""
    return TASKS[predictor.task].evaluate(predictor, examples, **options)


def build_text_vocabulary(texts: Iterable[str], settings, **kind: bool) -> AnyVocabulary:
    """Return the vocabulary of the texts of one side."""
    if settings.unit == "subwords":
        return SubwordVocabulary.build(texts, size=settings.vocab_size)
    vocabulary = Vocabulary.build(texts, unit=settings.unit, min_count=settings.min_count, **kind)
    if len(vocabulary) == len(SPECIALS):
        raise InputError(
            f"min_count = {settings.min_count} leaves no token, all are <unk>: lower it"
        )
    return vocabulary
