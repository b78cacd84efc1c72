"""The options of an import: vocabularies, and what weights do not hold."""

from dataclasses import dataclass

from ..text.vocabulary import TOKENIZERS
from ..utils import Settings, setting

FOLDED = ("none", "source", "both")


@dataclass(frozen=True, kw_only=True)
class ImportOptions(Settings):
    """The options of an import: none for folders, which hold everything."""


@dataclass(frozen=True, kw_only=True)
class VocabularyOptions(ImportOptions):
    """The vocabularies, required unless a folder holds them, and how their text is tokenized."""

    source_vocabulary: str | None = setting(
        None, "source tokens, one per line in the order of their ids, or as .json"
    )
    target_vocabulary: str | None = setting(None, "target tokens", none_is="the source's")
    tokenizer: str | None = setting(
        None, "how text is split into tokens", choices=TOKENIZERS, none_is="word, or a run's own"
    )
    lowercase: str | None = setting(
        None, "whose case is folded", choices=FOLDED, none_is="none, or a run's own"
    )
