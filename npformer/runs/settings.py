"""The settings of a training, besides the model's own: one dataclass, from which the rest follows.

A field declares its type, range, default and help. `runs.begin` takes it as an argument, a recipe
and config.json have it under the same name, and `npformer train` has an option for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .. import datasets
from ..text.bpe_vocabulary import MIN_VOCAB_SIZE
from ..utils import InputError, Settings, setting
from .in_memory_data import IN_MEMORY, in_memory

__all__ = ["DataSettings", "TrainingSettings"]


@dataclass(frozen=True, kw_only=True)
class DataSettings(Settings):
    """What to train on, and which recipe: the settings that a recipe cannot have."""

    dataset: str | None = setting(None, "a data set by its name")
    direction: str | None = setting(
        None, "a data set's direction if it has two, such as en-de", none_is="its first"
    )
    src: str | None = setting(None, "file of source sentences, one per line, UTF-8 or .gz")
    tgt: str | None = setting(None, "file of the translations of src, line by line")
    held_out_src: str | None = setting(
        None, "file of held-out source sentences", none_is="a random 2% of the different pairs"
    )
    held_out_tgt: str | None = setting(None, "file of the translations of held_out_src")
    tsv: str | None = setting(None, "file of texts to classify: label, tab, text per line")
    text: str | None = setting(None, "file of a text to learn to continue")
    held_out: str | None = setting(
        None,
        "held-out file like that of tsv or text",
        none_is="2% of the texts, or the last tenth of the text",
    )
    recipe: str | None = setting(None, "name or .json file", none_is="the one for the data")

    def data_set(self, examples: Sequence | None = None) -> datasets.DataSet:
        """Return the training data; `examples` are those of a run in memory.

        Raises `InputError` unless the settings name a data set, or files that go together.
        """
        given = {}
        for name in DataSettings.declared():
            value = getattr(self, name)
            if value is not None and name not in ("direction", "recipe"):
                given[name] = value

        # the names in the order of the fields, so that each case has one order
        match list(given):
            case ["dataset"] if given["dataset"] in IN_MEMORY:
                return in_memory(given["dataset"], examples)
            case ["dataset"]:
                return datasets.get(given["dataset"])
            case ["src", "tgt"] | ["src", "tgt", "held_out_src", "held_out_tgt"]:
                return datasets.from_files(*given.values())
            case ["tsv"] | ["tsv", "held_out"]:
                return datasets.from_tsv(*given.values())
            case ["text"] | ["text", "held_out"]:
                return datasets.from_text(*given.values())

        raise InputError(
            f"{' and '.join(given) or 'nothing'} cannot be trained on: expected a dataset; or the "
            "files src and tgt, and with them held_out_src and held_out_tgt; or tsv or text, and "
            "with it held_out"
        )


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(DataSettings):
    """The training data and how to train on them; the defaults are the paper's, where it has one.

    Raises `InputError` on construction when a setting is out of range, or two do not fit together.

    >>> TrainingSettings(dataset="copy", epochs=0)
    Traceback (most recent call last):
    npformer.utils.errors.InputError: epochs = 0: expected an integer >= 1
    """

    tokenizer: str = setting(
        "word", "how text is cut into tokens", choices=("word", "character", "bpe")
    )
    lowercase: str = setting(
        "none",
        "whose text is lowercased; subwords keep the case",
        choices=("none", "source", "both"),
    )
    min_count: int = setting(
        2, "how often a word or character must occur in training to enter the vocabulary", least=1
    )
    vocab_size: int = setting(8000, "how many subwords to learn, at most", least=MIN_VOCAB_SIZE)
    word_dropout: float = setting(
        0.0, "share of a text's tokens read as <unk>, to classify it", least=0, below=1
    )
    rare_word_dropout: float = setting(
        0.0, "a token seen n times is read as <unk> with this / (this + n)", least=0
    )
    epochs: int = setting(10, "passes over the training data", least=1, may_change=True)
    patience: int = setting(
        0,
        "stop after this many epochs without a better held-out loss (0: never)",
        least=0,
        may_change=True,
    )
    batch_tokens: int = setting(4096, "tokens per batch on each side, about", least=1)
    accumulate: int = setting(1, "batches whose gradients are added up for one update", least=1)
    warmup_steps: int = setting(4000, "updates in which the learning rate rises", least=1)
    learning_rate: float | None = setting(
        None,
        "peak of the learning rate",
        above=0,
        none_is="the paper's, (d_model warmup_steps)^-0.5",
        may_change=True,
    )
    decay_steps: int | None = setting(
        None,
        "update that ends a cosine decay of the learning rate",
        least=2,
        none_is="the paper's decay",
    )
    final_learning_rate: float = setting(0.0, "learning rate from decay_steps on", least=0)
    label_smoothing: float = setting(0.1, "eps of the smoothed labels", least=0, below=1)
    clip_norm: float | None = setting(
        None, "largest norm of the whole gradient", above=0, none_is="no limit"
    )
    beta1: float = setting(0.9, "Adam's beta1", least=0, below=1)
    beta2: float = setting(0.98, "Adam's beta2", least=0, below=1)
    adam_eps: float = setting(1e-9, "Adam's eps", above=0)
    weight_decay: float = setting(
        0.0, "how fast all parameters shrink, as in AdamW, times the learning rate", least=0
    )
    average: int = setting(1, "epochs whose weights are averaged for use", least=1, may_change=True)
    average_of: str = setting(
        "last",
        "which epochs are averaged: the last, or those of the lowest held-out loss",
        choices=("last", "best"),
        may_change=True,
    )
    workers: int = setting(1, "processes that share each update", least=1, most=256)
    save_every: int = setting(
        1000,
        "updates between checkpoints, besides one after each epoch",
        least=1,
        may_change=True,
    )
    seed: int = setting(0, "seed of weights, dropout, batches and the split of the data", least=0)

    def __post_init__(self):
        super().__post_init__()
        data = self.data_set()
        data.checked_direction(self.direction)
        if (self.word_dropout or self.rare_word_dropout) and data.task != "classification":
            raise InputError(
                "word_dropout and rare_word_dropout are for texts to classify: leave them out"
            )
        if self.decay_steps is not None and self.learning_rate is None:
            raise InputError(
                "decay_steps needs the learning_rate at which the decay begins: give both"
            )
        if self.final_learning_rate and self.decay_steps is None:
            raise InputError("final_learning_rate is the one from decay_steps on: give both")
        if self.lowercase != "none" and self.tokenizer == "bpe":
            raise InputError(
                "subwords keep the case of the text: expected lowercase = none with tokenizer = bpe"
            )

    def fixed(self) -> dict:
        """Return the settings, besides the data, that a run keeps to its end."""
        fixed = {}
        for name, known in self.declared().items():
            is_data = name in DataSettings.declared() and name != "recipe"
            if not known.may_change and not is_data:
                fixed[name] = getattr(self, name)
        return fixed

    def load(self, *parts: str, examples: Sequence | None = None) -> list:
        """Return the examples of some parts of the training data, such as "train"."""
        return self.data_set(examples).load(*parts, direction=self.direction, seed=self.seed)
