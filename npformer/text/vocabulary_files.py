"""Vocabularies as JSON files, those of SentencePiece with the model of its library next to them."""

from pathlib import Path

from ..utils import InputError, prefix_errors
from ..utils.files import read_bytes, read_json, write_atomic, write_json
from .bpe import SubwordVocabulary
from .labels import Labels
from .sentencepiece import SentencePieceVocabulary
from .vocabulary import Vocabulary


def save_vocabulary(path: Path, vocabulary) -> None:
    """Write a vocabulary, or the names of classes."""
    write_json(path, vocabulary.to_json())
    if isinstance(vocabulary, SentencePieceVocabulary):
        write_atomic(_spm_path(path), vocabulary.spm)


def load_vocabulary(path: Path, size: int):
    """Return the vocabulary in a file. Raises `InputError` when it is damaged or has not `size` tokens."""
    kind = {"subwords.json": SubwordVocabulary, "labels.json": Labels}.get(path.name, Vocabulary)
    content = read_json(path)
    with prefix_errors(f"{path} is damaged"):
        try:
            if content.get("unit") == SentencePieceVocabulary.unit:
                vocabulary = SentencePieceVocabulary.from_json(content, read_bytes(_spm_path(path)))
            else:
                vocabulary = kind.from_json(content)
        except KeyError as missing:
            raise InputError(f"it lacks {missing.args[0]}") from None
        if len(vocabulary) != size:
            raise InputError(f"it has {len(vocabulary)} tokens, the model's config says {size}")
    return vocabulary


def _spm_path(path: Path) -> Path:
    return path.with_name(f"{path.name.removesuffix('_vocabulary.json')}.spm")
