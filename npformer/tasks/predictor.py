"""A trained model with its vocabularies, and decoding in batches of sentences of similar length."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..models import StackConfig
from ..text import BaseVocabulary, Labels, check_special_tokens, pad
from ..utils import InputError, threads_for

__all__ = ["BATCH_TOKENS", "Predictor", "as_texts", "decode_batched", "groups_of_like_length"]

BATCH_TOKENS = 4096  # tokens that are decoded at a time by default, about


class Predictor:
    """A trained model with a vocabulary for each side of its task.

    A subclass names:

    task: the name of its task.
    model_class, config_class: the classes of its model and of the model's config.
    sides: for each side, such as "source", the setting of the config that is the size of its
        vocabulary. The vocabularies are attributes with the names of the sides.
    parts: the classes of its own settings, which are attributes too, such as `search`.

    Raises `InputError` unless each side has a vocabulary (the classes: `Labels`) of the size in the
    config. A vocabulary must have the special tokens that the task needs.
    """

    task: ClassVar[str]
    model_class: ClassVar[Callable[..., Any]]
    config_class: ClassVar[type[StackConfig]]
    sides: ClassVar[dict[str, str]]
    parts: ClassVar[dict[str, type]] = {}

    def __init__(self, model: Any, *vocabularies: BaseVocabulary | Labels):
        name = type(self).__name__
        if len(vocabularies) != len(self.sides):
            raise InputError(
                f"{name} got {len(vocabularies)} besides the model: "
                f"expected the vocabularies, or names, of {' and '.join(self.sides)}"
            )

        self.model = model
        for (side, size), vocabulary in zip(self.sides.items(), vocabularies, strict=True):
            if size == "n_classes":
                kind: type = Labels
                description = "Labels([...])"
            else:
                kind = BaseVocabulary
                description = "a vocabulary"
            if not isinstance(vocabulary, kind):
                given = type(vocabulary).__name__
                raise InputError(f"{name}: {side} is a {given}: expected {description}")

            expected = getattr(model.config, size)
            if len(vocabulary) != expected:
                raise InputError(
                    f"the model has {size} = {expected}, and {side} has {len(vocabulary)}: "
                    "give what the model was trained with"
                )
            if self.task != "language_model" and isinstance(vocabulary, BaseVocabulary):
                check_special_tokens(vocabulary, f"{name}.{side}")
            setattr(self, side, vocabulary)

    def __repr__(self):
        sizes = [f"{self.model.n_parameters:,} parameters"]
        for side, vocabulary in zip(self.sides, self.vocabularies, strict=True):
            sizes.append(f"{side}: {len(vocabulary):,}")
        return f"{type(self).__name__}({', '.join(sizes)})"

    @property
    def vocabularies(self) -> tuple:
        """The vocabulary of each side."""
        return tuple(getattr(self, side) for side in self.sides)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text as the model reads them. Raises `InputError` if it cannot."""
        raise NotImplementedError

    def unknown(self, text: str) -> list[str]:
        """Return the tokens of a text that are read as <unk>."""
        return self.vocabularies[0].unknown(text)


def as_texts(texts: str | Sequence[str]) -> list[str]:
    """Return texts as a list; a string is one text. Raises `InputError` for anything else.

    >>> as_texts("one text")
    ['one text']
    """
    # bytes are a sequence of integers: the next line refuses them as one item
    listed = [texts] if isinstance(texts, (str, bytes)) else texts
    if not isinstance(listed, Sequence) or not all(isinstance(text, str) for text in listed):
        raise InputError(f"got {texts!r:.60}: expected a text, or a list of texts, as str")
    return list(listed)


def decode_batched(
    model: Any,
    decode: Callable,
    sources: Sequence[list[int]],
    *,
    batch_tokens: int = BATCH_TOKENS,
) -> list:
    """Decode sentences of ids, and return a result for each, in their order.

    The model is in eval mode meanwhile.

    Arguments:
        model: the model whose padding and width are used.
        decode: turns padded ids (B, S) into B results.
        sources: the ids of each sentence.
        batch_tokens: how many tokens are decoded at a time, about.

    >>> from npformer import Transformer, TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10))
    >>> sources = [[5, 3], [6, 7, 8, 3], [9, 3]]
    >>> decode_batched(model, lambda src: [row.tolist() for row in src], sources, batch_tokens=4)
    [[5, 3], [6, 7, 8, 3], [9, 3]]
    """
    results: list = [None] * len(sources)
    with model.evaluating(), threads_for(model.config.d_model):
        lengths = [len(ids) for ids in sources]
        for group in groups_of_like_length(lengths, batch_tokens):
            src = pad([sources[i] for i in group], model.config.pad_id)  # (B, S)
            for i, result in zip(group, decode(src), strict=True):
                results[i] = result
    return results


def groups_of_like_length(lengths: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Cut indices, sorted by length, into groups whose padded size is at most batch_tokens.

    What is longer is a group of its own.

    >>> groups_of_like_length([3, 9, 4, 3], batch_tokens=12)
    [[0, 3, 2], [1]]
    """
    groups: list[list[int]] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        # lengths ascend: the group is padded to the length of the text that is added
        if groups and (len(groups[-1]) + 1) * lengths[i] <= batch_tokens:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups
