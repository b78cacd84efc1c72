"""The protocol of a task, and the registry of all tasks."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from ..module import Module
from ..text import BaseVocabulary, BPEVocabulary, Vocabulary
from ..text.vocabulary import SPECIALS
from ..utils import InputError
from .objective import Objective
from .predictor import Predictor

__all__ = ["TASKS", "Task", "build_text_vocabulary", "evaluate", "register"]


class Task:
    """What a training needs to know of a task.

    A new task is a subclass in a file of its own and one call of `register`; `npformer train` and
    `npformer evaluate` then know it. A command that predicts with it is a file in cli/.

    name: as in config.json and in data sets.
    predictor: the subclass of `Predictor`, which names the classes of the model and its config,
        and the sides that have a vocabulary.
    counted: what a batch counts in `n_tokens`.
    evaluate: a method `evaluate(predictor, examples, *, batch_tokens, ...)` that returns the scores
        of a predictor; they have `table()` and `examples(n)`, both text.

    Below, `settings` are those of a training (`runs.settings.TrainingSettings`), `vocabularies` has
    one for each side, and `examples` are what a data set of this task holds.
    """

    name: ClassVar[str]
    predictor: ClassVar[type[Predictor]]
    counted: ClassVar[str] = "token"

    def build_vocabularies(self, examples: Sequence, settings: Any, model_settings: dict) -> tuple:
        """Return a vocabulary for each side of a model with these settings."""
        raise NotImplementedError

    def make_batches(
        self,
        examples: Sequence,
        vocabularies: tuple,
        config: Any,
        settings: Any,
        *,
        held_out: bool = False,
    ) -> tuple[Any, int]:
        """Return the batches of all usable examples, and how many examples were left out.

        The batches are an object such as `Batches`, with `epoch(number)` and `checksum`. Held-out
        examples are read as they are, others with what the settings randomize.
        """
        raise NotImplementedError

    def objective(self, model: Module, settings: Any) -> Objective:
        """Return what training differentiates."""
        return Objective(model, label_smoothing=settings.label_smoothing)

    # the types cannot say more, because each task has its own options besides `batch_tokens`
    evaluate: Callable[..., Any]

    def evaluate_defaults(self, settings: Any) -> dict:
        """Return the options of `evaluate` that follow from the settings of a training."""
        return {}


TASKS: dict[str, Task] = {}


def register(task: Task) -> None:
    """Make a task known by its name."""
    TASKS[task.name] = task


def evaluate(predictor: Predictor, examples: Sequence, **options: Any) -> Any:
    """Return the scores of a predictor on examples of its task.

    Arguments:
        predictor: such as a Translator.
        examples: what a data set of its task holds, such as sentence pairs.
        options: those of the task's `evaluate`, such as `beam` for a translation. The values in
            `evaluate_defaults` are not added.
    """
    return TASKS[predictor.task].evaluate(predictor, examples, **options)


def build_text_vocabulary(
    texts: Iterable[str], settings: Any, *, lowercase: bool = False, running: bool = False
) -> BaseVocabulary:
    """Return the vocabulary of the texts of one side, with the tokenizer and size of the settings.

    A `running` text is a piece of a longer one: white space at its ends is read too.

    Raises `InputError` when no token occurs often enough.
    """
    if settings.tokenizer == "bpe":
        return BPEVocabulary.build(texts, size=settings.vocab_size)

    vocabulary = Vocabulary.build(
        texts,
        tokenizer=settings.tokenizer,
        min_count=settings.min_count,
        lowercase=lowercase,
        running=running,
    )
    if len(vocabulary) == len(SPECIALS):
        raise InputError(
            f"min_count = {settings.min_count} leaves no token, all are <unk>: lower it"
        )
    return vocabulary
