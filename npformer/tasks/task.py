"""The tasks: which model each has, and what it reads and writes."""

from dataclasses import dataclass

from ..models import (
    Classifier,
    ClassifierConfig,
    LanguageModel,
    LanguageModelConfig,
    StackConfig,
    Transformer,
    TransformerConfig,
)
from ..module import Module
from ..utils import InputError


@dataclass(frozen=True)
class Task:
    """A task by its name, with its model and what says how large that is.

    `sides` are what it reads and writes, each with the setting of the config that counts its tokens or classes; `verb`
    is what the command line calls its use, and `counted` what a batch counts as its `n_tokens`.
    """

    name: str
    verb: str
    model: type[Module]
    config: type[StackConfig]
    sides: dict[str, str]
    counted: str = "token"

    @property
    def words(self) -> str:
        """Its name as it stands in a sentence: a model of ..."""
        return {"language_model": "language modelling"}.get(self.name, self.name)


ALL = (
    Task(
        "translation",
        "translate",
        Transformer,
        TransformerConfig,
        {"source": "src_vocab_size", "target": "tgt_vocab_size"},
    ),
    Task(
        "classification",
        "classify",
        Classifier,
        ClassifierConfig,
        {"text": "vocab_size", "label": "n_classes"},
        counted="text",
    ),
    Task("language_model", "generate", LanguageModel, LanguageModelConfig, {"text": "vocab_size"}),
)
TASKS = {task.name: task for task in ALL}


def task_of(config: StackConfig) -> Task:
    """Return the task of a model with this config. Raises `InputError` where there is none.

    >>> task_of(ClassifierConfig(vocab_size=10, n_classes=2)).name
    'classification'
    """
    for task in ALL:
        if type(config) is task.config:
            return task
    raise InputError(f"a {type(config).__name__} is the config of no task: expected one of {', '.join(TASKS)}")
