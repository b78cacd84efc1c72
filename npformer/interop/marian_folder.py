"""The files of a model of Marian as it is downloaded."""

from functools import cached_property
from pathlib import Path

import numpy as np

from ..decoding.beam_settings import Search
from ..text import SentencePieceVocabulary
from ..utils import AnyPath, InputError, prefix_errors
from ..utils.files import read_bytes, read_json
from .vocabulary_files import in_our_order, read_tokens

SPECIAL = {"pad": "<pad>", "unk": "<unk>", "bos": "", "eos": "</s>"}  # there is no <bos>
NEEDED = (
    *("d_model", "activation_function", "max_position_embeddings", "decoder_start_token_id", "pad_token_id"),
    *(f"{column}_{what}" for column in ("encoder", "decoder") for what in ("layers", "attention_heads", "ffn_dim")),
    *("vocab_size", "eos_token_id"),
)
DEFAULTS = {
    **{"dropout": 0.1, "attention_dropout": 0.0, "scale_embedding": False, "decoder_vocab_size": None},
    **{"share_encoder_decoder_embeddings": True, "tie_word_embeddings": True},
}
SEARCH = {"beam": 4, "alpha": 1.0, "penalty": "length"}  # where they say nothing
POINTER = b"version https://git-lfs"


class MarianFolder:
    """The files of one model, by name; reading raises `InputError` with one clear line when one is not as expected.

    >>> MarianFolder("no/such/model").settings
    Traceback (most recent call last):
    npformer.utils.errors.InputError: no/such/model/config.json does not exist: check the name and the folder
    """

    def __init__(self, path: AnyPath):
        self.path = Path(path)
        self.settings_path = self.path / "config.json"

    @cached_property
    def settings(self) -> dict:
        """What config.json says, and what it need not say."""
        settings = read_json(self.settings_path)
        if (kind := settings.get("model_type")) != "marian":
            came = (
                f"{self.settings_path} is of a model of the type {kind!r}" if kind else f"{self.path} is no such model"
            )
            raise InputError(f"{came}: expected 'marian', as Helsinki-NLP/opus-mt-en-de has")
        if missing := [name for name in NEEDED if name not in settings]:
            raise InputError(f"{self.settings_path} is damaged: it lacks {', '.join(missing)}")
        self.check_kinds(settings)
        return DEFAULTS | settings

    def check_kinds(self, settings: dict) -> None:
        """Raise `InputError` where a setting is of another kind than theirs."""
        for name in settings.keys() & {*NEEDED, *DEFAULTS}:
            value, default = settings[name], DEFAULTS.get(name)
            kind, expected = (str, "a text") if name == "activation_function" else (int, "a whole number")
            if default is not None:
                kind, expected = (bool, "true or false") if type(default) is bool else ((int, float), "a number")
            right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
            if not right and not (name == "decoder_vocab_size" and value is None):
                came = f"{self.settings_path} is damaged: its {name} is {value!r}"
                raise InputError(f"{came}, expected {expected}")

    def search(self) -> Search:
        """Return what they search with: beam and exponent of the length, in a file of their own or in config.json."""
        path = self.path / "generation_config.json"
        said = read_json(path) if path.exists() else self.settings
        given = {"beam": said.get("num_beams"), "alpha": said.get("length_penalty")}
        with prefix_errors(str(path if path.exists() else self.settings_path)):
            return Search(**SEARCH | {name: value for name, value in given.items() if value is not None})

    def weights_path(self) -> Path:
        """Return the file with the weights."""
        for name in ("model.safetensors", "pytorch_model.bin"):
            if (path := self.path / name).exists():
                return self.whole(path)
        raise InputError(f"{self.path} has no weights: bring model.safetensors or pytorch_model.bin into it")

    def whole(self, path: Path) -> Path:
        """Return the path of a file that must be more than Git LFS's pointer to it."""
        if read_bytes(path)[: len(POINTER)] == POINTER:
            raise InputError(f"{path} is a pointer of Git LFS, not the file itself: run  git lfs pull  in its folder")
        return path

    def sides(self) -> list[tuple[SentencePieceVocabulary, np.ndarray]]:
        """Return the vocabularies of source and target, and which row of their tables each token of ours is, (V,)."""
        shared = self.settings["share_encoder_decoder_embeddings"]
        own = not shared and (self.path / "target_vocab.json").exists()
        return [
            self.side("source", "vocab.json", "vocab_size"),
            self.side(
                "target", "target_vocab.json" if own else "vocab.json", "decoder_vocab_size" if own else "vocab_size"
            ),
        ]

    def side(self, side: str, file: str, size: str) -> tuple[SentencePieceVocabulary, np.ndarray]:
        """Return the vocabulary of a side, and which row of their tables each of its tokens is."""
        path = self.path / file
        theirs = read_tokens(self.whole(path))
        expected = self.settings[size] or self.settings["vocab_size"]
        if len(theirs) != expected:
            raise InputError(f"{path} has {len(theirs)} tokens, config.json says {expected}: they are of two models")
        with prefix_errors(str(path)):
            tokens = in_our_order(theirs, SPECIAL, ("pad", "unk", "eos"), "its")
        for role in ("pad", "eos"):
            if (said := self.settings[f"{role}_token_id"]) != theirs.index(SPECIAL[role]):
                came = f"{self.settings_path} says that {said!r} is the id of {SPECIAL[role]}"
                raise InputError(
                    f"{came}, {path.name} that it is {theirs.index(SPECIAL[role])}: they are of two models"
                )
        spm_path = self.path / f"{side}.spm"
        with prefix_errors(str(spm_path)):
            vocabulary = SentencePieceVocabulary(tokens.tokens, read_bytes(self.whole(spm_path)))
        return vocabulary, tokens.rows
