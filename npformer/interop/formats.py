"""The kinds of models from elsewhere: how each is recognized, what reads it, and its options."""

from pathlib import Path
from typing import Any

from ..utils import AnyPath, InputError
from ..utils.files import read_json
from .gpt2 import load_gpt2
from .import_nn_transformer import StateDictOptions, load_state_dict
from .import_options import ImportOptions
from .jadore import JadoreOptions, load_jadore
from .llama import load_llama
from .marian import load_marian
from .readers import WeightsFile, read_weights_file

KINDS: dict[str, tuple[Any, type[ImportOptions]]] = {  # what reads a model, and its options
    "Marian": (load_marian, ImportOptions),
    "GPT-2": (load_gpt2, ImportOptions),
    "Llama": (load_llama, ImportOptions),
    "jadore": (load_jadore, JadoreOptions),
    "nn.Transformer": (load_state_dict, StateDictOptions),
}
MODEL_TYPES = {"marian": "Marian", "gpt2": "GPT-2", "llama": "Llama"}  # in a config.json


def read_source(path: Path) -> tuple[str, Path | WeightsFile]:
    """Return the kind of a model, one of `KINDS`, and what is given to the function that reads it.

    That is the folder, if it has a config.json, and else what is in the file.
    """
    config = path / "config.json"
    if not config.is_file():
        file = read_weights_file(path)
        is_jadore = any(name.startswith("encoder.layer_stack.") for name in file.arrays)
        return "jadore" if is_jadore else "nn.Transformer", file

    content = read_json(config)
    if "task" in content and "model_type" not in content:
        raise InputError(f"{path} is a run folder of npformer: npformer.load reads it")
    model_type = content.get("model_type")
    if str(model_type) not in MODEL_TYPES:
        raise InputError(
            f"{config} is of a model of the type {model_type!r}: "
            f"expected {', '.join(map(repr, MODEL_TYPES))}"
        )
    return MODEL_TYPES[model_type], path


def load(source: AnyPath, **options: Any) -> Any:
    """Return a Translator or a TextGenerator of a model from elsewhere.

    `npf.save(model, folder)` makes a run folder of it. Raises `InputError` when the source is
    missing, damaged or of another kind, or when an option is missing, unknown or out of range.

    Arguments:
        source: A folder of Hugging Face's MarianMTModel, GPT2LMHeadModel or LlamaForCausalLM as it
            is downloaded; the state dict of jadore801120's model, or of a PyTorch module with an
            nn.Transformer, as .safetensors or of torch.save; or a folder with such a module's
            encoder.onnx and decoder.onnx.
        options: Those of the kind, such as `StateDictOptions`.

    >>> load("no/such/model.pt")
    Traceback (most recent call last):
    npformer.utils.errors.InputError: no/such/model.pt does not exist: give a file or folder, \
nothing is downloaded
    """
    path = Path(source)
    if not path.exists():
        raise InputError(f"{path} does not exist: give a file or folder, nothing is downloaded")
    kind, content = read_source(path)
    read, known = KINDS[kind]
    known.check_names(options, f"the import of {path} as {kind}")
    return read(content, **options)
