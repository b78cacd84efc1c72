"""The settings of a training, besides the model's own."""

from collections.abc import Sequence
from dataclasses import dataclass

from .. import datasets
from ..text.bpe import SMALLEST
from ..utils import InputError, check_settings, setting
from .in_memory_data import KINDS, in_memory

FILES = ("src", "tgt", "valid_src", "valid_tgt", "train", "text", "valid")
SOURCES = ("dataset", "direction", *FILES)  # the training data
READERS = {
    "dataset": datasets.find,
    "src": datasets.from_files,
    "train": datasets.from_tsv,
    "text": datasets.from_text,
}
USABLE = (
    "dataset",
    "src tgt",
    "src tgt valid_src valid_tgt",
    "train",
    "train valid",
    "text",
    "text valid",
)
CHANGEABLE = (
    "epochs",
    "patience",
    "learning_rate",
    "average",
    "average_of",
    "save_every",
)  # what `resume` may change


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """The training data and how to train on them; the defaults are the paper's, where it has one.

    Raises `InputError` on construction when a setting is out of range, or two do not fit together.

    >>> TrainingSettings(dataset="copy", epochs=0)
    Traceback (most recent call last):
    npformer.utils.errors.InputError: epochs = 0: expected an integer >= 1
    """

    dataset: str | None = setting(None, "a data set by its name")
    direction: str | None = setting(
        None, "a data set's direction if it has two, such as en-de", none_is="its first"
    )
    src: str | None = setting(None, "file of source sentences, one per line, UTF-8 or .gz")
    tgt: str | None = setting(None, "file of their translations, line by line")
    valid_src: str | None = setting(
        None, "file of held-out sources", none_is="a random 2% of the training pairs"
    )
    valid_tgt: str | None = setting(None, "file of their translations")
    train: str | None = setting(None, "file of texts to classify: label, tab, text per line")
    text: str | None = setting(None, "file of a text to learn to continue")
    valid: str | None = setting(
        None, "held-out file like train or text", none_is="2% of the texts, or the last tenth"
    )
    recipe: str | None = setting(None, "name or .json file", none_is="the one for the data")
    unit: str = setting("words", "what a token is", choices=("words", "characters", "subwords"))
    lowercase: str = setting(
        "none", "sides in lower case; not with subwords", choices=("none", "source", "both")
    )
    min_count: int = setting(
        2, "how often a word or character must occur in training to enter the vocabulary", least=1
    )
    vocab_size: int = setting(8000, "how many subwords to learn, at most", least=SMALLEST)
    word_dropout: float = setting(
        0.0, "share of a text's tokens read as <unk>, to classify it", least=0, below=1
    )
    rare_word_dropout: float = setting(
        0.0, "a token seen n times is read as <unk> with this / (this + n)", least=0
    )
    epochs: int = setting(10, "passes over the training data", least=1)
    patience: int = setting(
        0, "stop after this many epochs without a better held-out loss (0: never)", least=0
    )
    batch_tokens: int = setting(4096, "tokens per batch on each side, about", least=1)
    accumulate: int = setting(1, "batches whose gradients are added up for one update", least=1)
    warmup_steps: int = setting(4000, "updates in which the learning rate rises", least=1)
    learning_rate: float | None = setting(
        None, "its peak", above=0, none_is="the paper's, (d_model warmup_steps)^-0.5"
    )
    decay_steps: int | None = setting(
        None, "update that ends a cosine decay of the rate", least=2, none_is="the paper's"
    )
    final_learning_rate: float = setting(0.0, "rate from decay_steps on", least=0)
    label_smoothing: float = setting(0.1, "eps of the smoothed labels", least=0, below=1)
    clip_norm: float | None = setting(
        None, "largest norm of the whole gradient", above=0, none_is="no limit"
    )
    beta1: float = setting(0.9, "Adam's beta1", least=0, below=1)
    beta2: float = setting(0.98, "Adam's beta2", least=0, below=1)
    adam_eps: float = setting(1e-9, "Adam's eps", above=0)
    average: int = setting(1, "epochs whose weights are averaged for use", least=1)
    average_of: str = setting(
        "last", "the last epochs, or those of the lowest held-out loss", choices=("last", "best")
    )
    workers: int = setting(1, "processes that share each update", least=1, most=256)
    save_every: int = setting(
        1000, "updates between checkpoints, besides one after each epoch", least=1
    )
    seed: int = setting(0, "seed of weights, dropout, batches and the split of the data", least=0)

    def __post_init__(self):
        check_settings(self)
        data = self.data_set()
        data.checked_direction(self.direction)
        if (self.word_dropout or self.rare_word_dropout) and data.task != "classification":
            raise InputError(
                "word_dropout and rare_word_dropout are for texts to classify: leave them out"
            )
        if self.decay_steps is not None and self.learning_rate is None:
            raise InputError(
                "decay_steps needs the learning_rate at which the fall begins: give both"
            )
        if self.final_learning_rate and self.decay_steps is None:
            raise InputError("final_learning_rate is the one from decay_steps on: give both")
        if self.lowercase != "none" and self.unit == "subwords":
            raise InputError(
                "subwords keep the case of the text: expected lowercase = none with unit = subwords"
            )

    def data_set(self, examples: Sequence | None = None) -> datasets.DataSet:
        """Return the training data; `examples` are those of a run in memory.

        Raises `InputError` unless the settings name a data set, or files that go together.
        """
        data = {
            name: getattr(self, name)
            for name in ("dataset", *FILES)
            if getattr(self, name) is not None
        }
        if " ".join(data) not in USABLE:
            files = "src and tgt, and with them valid_src and valid_tgt; or train or text, and with it valid"
            got = " and ".join(data) or "nothing"
            raise InputError(
                f"{got} cannot be trained on: expected a dataset; or the files {files}"
            )
        if self.dataset in KINDS:
            return in_memory(self.dataset, examples)
        return READERS[next(iter(data))](*data.values())

    def fixed(self) -> dict:
        """Return the settings, besides the data, that a run keeps to its end."""
        return {
            name: value for name, value in vars(self).items() if name not in (*SOURCES, *CHANGEABLE)
        }

    def load(self, *parts: str, examples: Sequence | None = None) -> list[list]:
        """Return the examples of some parts of the training data, such as "train"."""
        return self.data_set(examples).load(*parts, direction=self.direction, seed=self.seed)
