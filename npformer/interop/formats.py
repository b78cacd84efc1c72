"""The kinds of models from elsewhere: how each is recognized, what reads it, and its options."""

from pathlib import Path
from typing import Any

from ..utils import AnyPath, InputError
from ..utils.files import read_bytes, read_json
from .gpt2 import load_gpt2
from .import_nn_transformer import StateDictOptions, load_state_dict
from .import_options import ImportOptions
from .jadore import JadoreOptions, load_jadore
from .llama import load_llama
from .marian import load_marian

KINDS = {  # what reads a model, and the settings that it takes
    "Marian": (load_marian, ImportOptions),
    "GPT-2": (load_gpt2, ImportOptions),
    "Llama": (load_llama, ImportOptions),
    "jadore": (load_jadore, JadoreOptions),
    "nn.Transformer": (load_state_dict, StateDictOptions),
}
MODEL_TYPES = {"marian": "Marian", "gpt2": "GPT-2", "llama": "Llama"}  # in a config.json
NAME_IN_JADORE = b"encoder.layer_stack.0.slf_attn.w_qs"


def kind_of(path: Path) -> str:
    """Return the kind that a file or a folder looks like, one of `KINDS`."""
    config = path / "config.json"
    if config.is_file():
        model_type = read_json(config).get("model_type")
        if model_type not in list(MODEL_TYPES):
            raise InputError(
                f"{config} is of a model of the type {model_type!r}: "
                f"expected {', '.join(map(repr, MODEL_TYPES))}"
            )
        return MODEL_TYPES[model_type]
    # both kinds of files contain the names of their arrays as they are
    if path.is_file() and NAME_IN_JADORE in read_bytes(path):
        return "jadore"
    return "nn.Transformer"


def load(source: AnyPath, **options: Any) -> Any:
    """Return a Translator or a TextGenerator of a model from elsewhere.

    `npf.save(model, folder)` makes a run folder of it. Raises `InputError` with one line when the
    source is missing, damaged or foreign, or an option is.

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
    kind = kind_of(path)
    read, known = KINDS[kind]
    known.check_names(options, f"the import of {path} as {kind}")
    return read(path, **options)
