"""The kinds of models from elsewhere: how each is recognized, its options, and what reads it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..decoding import Translator
from ..models.model_folder import ModelFolder
from ..tasks import TASKS
from ..utils import AnyPath, InputError, check_names
from .jadore import JadoreOptions, is_jadore, load_jadore
from .marian import MarianOptions, is_marian, load_marian
from .onnx_graph import FILES
from .options import StateDictOptions
from .state_dict import load_state_dict

OUR_FILES = ("config.json", "weights.safetensors")  # of a run folder


class Kind(NamedTuple):
    """A kind of model: `load(source, **options)` reads one; `options` is the dataclass of settings that it takes."""

    what: str
    recognized: Callable[[Path], bool]
    load: Callable[..., Translator]
    options: type


def _is_state_dict(path: Path) -> bool:
    """Tell whether a path is a file of no other kind, or a folder of ONNX graphs."""
    return (path.is_file() and not is_jadore(path)) or all((path / name).is_file() for name in FILES)


KINDS = {
    "nn.Transformer": Kind(
        "the state dict of a PyTorch module with an nn.Transformer (.safetensors, torch.save's), or a folder with its "
        "encoder.onnx and decoder.onnx, of torch.onnx.export(..., dynamo=False)",
        _is_state_dict,
        load_state_dict,
        StateDictOptions,
    ),
    "jadore": Kind(
        "a checkpoint of jadore801120/attention-is-all-you-need-pytorch (torch.save's, or weights as .safetensors)",
        is_jadore,
        load_jadore,
        JadoreOptions,
    ),
    "Marian": Kind(
        "a folder of Hugging Face's MarianMTModel as it is downloaded, such as Helsinki-NLP/opus-mt-en-de",
        is_marian,
        load_marian,
        MarianOptions,
    ),
}


def load(source: AnyPath, kind: str | None = None, **options) -> Translator:
    """Return a model from elsewhere with its vocabularies: a file or a folder of a kind that is recognized, or said.

    `Translator.save(folder)` makes a run folder of it. `options` are those of the kind, such as `StateDictOptions`.

    Raises `InputError` with one line when the source is missing, damaged or foreign, or an option is.

    >>> load("no/such/model.pt")
    Traceback (most recent call last):
    npformer.utils.errors.InputError: no/such/model.pt does not exist: give a file or folder, nothing is downloaded
    """
    path = Path(source)
    if not path.exists():
        raise InputError(f"{path} does not exist: give a file or folder, nothing is downloaded")
    if all((path / name).is_file() for name in OUR_FILES):
        verb = TASKS[ModelFolder(path).task_name()].verb
        raise InputError(f"{path} is a run folder of npformer already: use it as it is, with npformer {verb}")
    kind = kind or next((name for name, known in KINDS.items() if known.recognized(path)), None)
    if kind is None:
        known = "; ".join(f"{name}, {kind.what}" for name, kind in KINDS.items())
        raise InputError(f"{path} is not of a known kind: {known}")
    if kind not in KINDS:
        raise InputError(f"kind {kind!r} is unknown: expected one of {', '.join(KINDS)}")
    check_names(KINDS[kind].options, options, f"the import of {path} as {kind}")
    paths = {name: os.fspath(value) for name, value in options.items() if isinstance(value, Path)}
    return KINDS[kind].load(path, **options | paths)
