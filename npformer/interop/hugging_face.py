"""Folders of models as Hugging Face keeps them: settings, weights and tokens."""

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..models import LanguageModel, LanguageModelConfig
from ..tasks import TextGenerator
from ..text import BaseVocabulary, ByteLevelVocabulary, IdVocabulary
from ..utils import InputError, Settings, prefix_errors
from ..utils.files import read_json
from .readers import read_arrays

# settings in config.json that change none of the logits, whatever their value
HARMLESS = frozenset(
    # where the model comes from, and the type of its numbers, which the arrays show
    "_commit_hash _name_or_path architectures dtype model_type torch_dtype transformers_version "
    "unsloth_fixed unsloth_version "
    # how it is computed and what is returned
    "_attn_implementation attn_implementation chunk_size_feed_forward gradient_checkpointing "
    "is_decoder output_attentions output_hidden_states output_past pretraining_tp "
    "reorder_and_upcast_attn return_dict torchscript use_bfloat16 use_cache use_return_dict "
    # how its training began
    "initializer_range "
    # the number of positions, for a second time
    "n_ctx "
    # heads of other tasks
    "finetuning_task id2label label2id num_labels problem_type summary_activation "
    "summary_first_dropout summary_proj_to_labels summary_type summary_use_proj "
    "task_specific_params "
    # tokens, which are in files of their own, and how text is generated
    "begin_suppress_tokens bos_token_id decoder_start_token_id do_sample early_stopping "
    "eos_token_id length_penalty max_length max_new_tokens min_length no_repeat_ngram_size "
    "num_beams num_return_sequences pad_token_id prefix repetition_penalty sep_token_id "
    "suppress_tokens temperature tokenizer_class top_k top_p typical_p unk_token_id".split()
)

SettingsClass = TypeVar("SettingsClass", bound=Settings)


def read_given(path: Path) -> dict[str, Any]:
    """Return the settings in a file without those that are null, which are not given."""
    given = {}
    for name, value in read_json(path).items():
        if value is not None:
            given[name] = value
    return given


def check_settings(
    path: Path,
    given: dict[str, Any],
    settings_class: type[SettingsClass],
    required: dict[str, Any] | None = None,
    harmless: Collection[str] = (),
) -> SettingsClass:
    """Return the settings of a config.json on which the model depends.

    Raises `InputError` for a value that our model cannot have, and for a setting that is not known,
    because the logits may depend on it.

    Arguments:
        path: The file.
        given: What is in the file.
        settings_class: The settings that are read, with the defaults of transformers.
        required: Settings that are not read, with the only value that our model can have.
        harmless: Settings of this kind of model that change none of the logits, besides HARMLESS.
    """
    known = settings_class.declared()
    required = required or {}
    read = {}
    for name, value in given.items():
        if name in known:
            read[name] = value
        elif name in required:
            if value != required[name]:
                raise InputError(
                    f"{path}: {name} = {value!r:.60}: expected {required[name]!r}, "
                    "the models of npformer have no other"
                )
        # what is off, such as false, changes nothing
        elif value and name not in HARMLESS and name not in harmless:
            raise InputError(
                f"{path}: {name} = {value!r:.60} is not known to npformer, and the model may "
                "compute something else by it: remove it from the file if you know that it does not"
            )
    with prefix_errors(str(path)):
        return settings_class(**read)


def read_weights(folder: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a model, which may be in several files."""
    index = folder / "model.safetensors.index.json"
    if index.exists():
        files = read_json(index).get("weight_map")
        if not isinstance(files, dict):
            raise InputError(f"{index} is damaged: it has no weight_map")
        weights = {}
        for name in sorted(set(map(str, files.values()))):
            weights.update(read_arrays(folder / name))
        return weights

    for name in ("model.safetensors", "pytorch_model.bin"):
        if (folder / name).exists():
            return read_arrays(folder / name)
    raise InputError(f"{folder} has no weights: expected model.safetensors or pytorch_model.bin")


def read_vocabulary(folder: Path, vocab_size: int, *, has_merges: bool) -> BaseVocabulary:
    """Return the vocabulary of a language model; a warning says why it is one of ids as text.

    Arguments:
        folder: The folder of the model.
        vocab_size: The number of rows of the embedding matrix.
        has_merges: Whether vocab.json and merges.txt are read if there is no tokenizer.json, which
            says how text is tokenized.
    """
    path = folder / "tokenizer.json"
    vocab = folder / "vocab.json"
    merges = folder / "merges.txt"
    try:
        if path.exists():
            vocabulary = ByteLevelVocabulary.from_tokenizer_json(path)
        elif has_merges:
            path = vocab
            vocabulary = ByteLevelVocabulary.from_files(vocab, merges)
        else:
            raise InputError(f"{path} does not exist")
        if len(vocabulary) != vocab_size:
            raise InputError(
                f"{path} has {len(vocabulary):,} tokens, and the model has {vocab_size:,}"
            )
    except InputError as error:
        warnings.warn(
            f"{error}. So texts are ids, such as '12 345 6': another program makes and reads them",
            stacklevel=2,
        )
        return IdVocabulary(vocab_size)
    return vocabulary


def build_generator(
    config: LanguageModelConfig, weights: dict[str, np.ndarray], vocabulary: BaseVocabulary
) -> TextGenerator:
    """Return the TextGenerator of weights under our names.

    Raises `InputError` where they do not fit the config.
    """
    # the seed does not matter, because every weight is replaced
    model = LanguageModel(config, rng=0).eval()
    model.load_state_dict(weights)
    return TextGenerator(model, vocabulary)
