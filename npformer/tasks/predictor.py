"""A trained model with its vocabularies, which predicts from plain text, and decoding in batches of like length."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from ..models import StackConfig
from ..module import Module
from ..text import AnyVocabulary, Labels, pad
from ..utils import InputError, threads_for

BATCH_TOKENS = 4096  # of a group, about, by default


class Predictor:
    """A trained model with a vocabulary for each side of its task, as a folder has them.

    A subclass names its `task`, the classes of its model and config, and its `sides`, each with the setting of the
    config that has its size; `parts` are its own settings. Its vocabularies are attributes with the names of the sides.

    Raises `InputError` unless there is a vocabulary for each side, of the size that the model's config says.
    """

    task: ClassVar[str]
    model_class: ClassVar[type[Module]]
    config_class: ClassVar[type[StackConfig]]
    sides: ClassVar[dict[str, str]]
    parts: ClassVar[dict[str, type]] = {}

    def __init__(self, model: Module, *vocabularies: AnyVocabulary | Labels):
        self.model = model
        if len(vocabularies) != len(self.sides):
            got = f"{type(self).__name__} got {len(vocabularies)} besides the model"
            raise InputError(
                f"{got}: expected the vocabularies, or names, of {' and '.join(self.sides)}"
            )
        for (side, size), vocabulary in zip(self.sides.items(), vocabularies, strict=True):
            if len(vocabulary) != getattr(model.config, size):
                got = f"the model has {size} = {getattr(model.config, size)}, and {side} has {len(vocabulary)}"
                raise InputError(f"{got}: give what the model was trained with")
            setattr(self, side, vocabulary)

    def __repr__(self):
        sizes = ", ".join(
            f"{side}: {len(vocabulary):,}"
            for side, vocabulary in zip(self.sides, self.vocabularies, strict=True)
        )
        return f"{type(self).__name__}({self.model.n_parameters:,} parameters, {sizes})"

    @property
    def vocabularies(self) -> tuple:
        """The vocabulary of each side."""
        return tuple(getattr(self, side) for side in self.sides)

    def unknown(self, text: str) -> list[str]:
        """Return the tokens of a text that are read as <unk>."""
        return self.vocabularies[0].unknown(text)


def as_texts(texts: str | Sequence[str]) -> list[str]:
    """Return texts as a list; a string is one text. Raises `InputError` for anything else.

    >>> as_texts("one text")
    ['one text']
    """
    listed = [texts] if isinstance(texts, (str, bytes)) else texts
    if not isinstance(listed, Sequence) or not all(isinstance(text, str) for text in listed):
        raise InputError(f"got {texts!r:.60}: expected a text, or a list of texts, as str")
    return list(listed)


def decode_batched(
    model: Module,
    decode: Callable,
    sources: Sequence[list[int]],
    *,
    batch_tokens: int = BATCH_TOKENS,
) -> list:
    """Decode sentences of ids, and return a result for each, in their order.

    `decode` turns padded ids (B, S) into B results; a group has at most about `batch_tokens` tokens. The model is in
    eval mode meanwhile.

    >>> from npformer import Transformer, TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10))
    >>> decode_batched(model, lambda src: [row.tolist() for row in src], [[5, 3], [6, 7, 8, 3], [9, 3]], batch_tokens=4)
    [[5, 3], [6, 7, 8, 3], [9, 3]]
    """
    results = [None] * len(sources)
    with model.evaluating(), threads_for(model.config.d_model):
        for group in groups_of_like_length([len(ids) for ids in sources], batch_tokens):
            decoded = decode(pad([sources[i] for i in group], model.config.pad_id))
            for i, result in zip(group, decoded, strict=True):
                results[i] = result
    return results


def groups_of_like_length(lengths: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Cut indices, sorted by length, into groups whose padded size stays within batch_tokens (or a single one).

    >>> groups_of_like_length([3, 9, 4, 3], batch_tokens=12)
    [[0, 3, 2], [1]]
    """
    groups = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if groups and (len(groups[-1]) + 1) * lengths[i] <= batch_tokens:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups
