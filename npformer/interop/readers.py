"""Arrays by name from the files of other programs. Nothing that is read is run."""

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..utils import AnyPath, InputError, import_optional
from ..utils.files import read_bytes
from ..utils.safetensors_io import read_safetensors
from .read_onnx import read_onnx

# where trainers put the state dict in what they save
NESTED = ("state_dict", "model_state_dict", "model")


class WeightsFile(NamedTuple):
    """The arrays of a file by name, and the note in one of `npformer export`."""

    path: Path
    arrays: dict[str, np.ndarray]
    note: dict[str, Any] | None


def read_arrays(path: AnyPath) -> dict[str, np.ndarray]:
    """Return the arrays of a model by name; see `read_weights_file`."""
    return read_weights_file(Path(path)).arrays


def read_weights_file(path: Path) -> WeightsFile:
    """Return what the file of a model holds.

    Of a checkpoint that torch.save wrote the state dict is taken. Raises `InputError` where the
    file is missing, damaged, or of another kind.

    Arguments:
        path: A .safetensors file, a file of torch.save, or a folder with encoder.onnx and
            decoder.onnx.
    """
    if path.is_dir():
        return WeightsFile(path, read_onnx(path), None)
    if path.suffix == ".safetensors":
        return WeightsFile(path, *read_safetensors(path))
    return WeightsFile(path, _read_torch(path), None)


def _read_torch(path: Path) -> dict[str, np.ndarray]:
    """Return the state dict that torch.save wrote, which may be in other dicts.

    Anything but tensors, numbers and texts could be code, and is refused before it is made.
    """
    if not path.is_file():
        raise InputError(f"{path} does not exist: check the name and the folder")
    torch = import_optional("torch", "npformer[torch]")
    content: Any
    try:
        # weights_only lets a pickle make one of any size, and no state dict has one
        if b"\nbytearray\n" in read_bytes(path):
            raise ValueError("a pickle with a bytearray")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the old format
            content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception:  # whatever a damaged pickle leads to
        raise InputError(
            f"{path} is damaged, or neither a .safetensors file nor one of torch.save that holds "
            "tensors alone: write it with  torch.save(model.state_dict(), FILE)"
        ) from None

    for name in NESTED:
        if isinstance(content, dict) and isinstance(content.get(name), dict):
            content = content[name]
    try:
        arrays = {}
        for name, tensor in content.items():
            # a tensor with a stride of 0 repeats a number, so a small file may claim any size
            if tensor.nbytes > path.stat().st_size:
                raise InputError(
                    f"{path}: {name} claims {tensor.nbytes:,} bytes, more than the file has, "
                    "because it repeats numbers: save tensor.contiguous() in its place"
                )
            # NumPy has no bfloat16
            is_bfloat16 = tensor.dtype == torch.bfloat16
            tensor = tensor.detach().float() if is_bfloat16 else tensor.detach()
            arrays[str(name)] = tensor.numpy()
        return arrays
    except (AttributeError, TypeError, RuntimeError):
        # no dict, no tensor, or one that NumPy does not have
        expected = f"dense tensors by name, or such a dict under {', '.join(map(repr, NESTED))}"
        raise InputError(f"{path} holds no state dict: expected {expected}") from None
