"""Arrays by name out of the files of other programs: safetensors, PyTorch's, ONNX. Nothing that is read is run."""

import warnings
from pathlib import Path

import numpy as np

from ..utils import AnyPath, InputError, import_optional
from ..utils.files import read_bytes
from .onnx_graph import read_onnx

TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U8": "u1", "BOOL": "?"}
NEITHER = "is damaged, or neither a .safetensors file nor one of torch.save that holds tensors alone"
NESTED = ("state_dict", "model_state_dict", "model")  # where trainers put the state dict in what they save


def read_arrays(path: AnyPath, *, allowed: tuple = ()) -> dict[str, np.ndarray]:
    """Return the arrays in a .safetensors file, a file of torch.save, or a folder with encoder.onnx and decoder.onnx.

    Of a checkpoint that torch.save wrote the state dict is taken, where it is plain which of its parts that is.
    `allowed` are classes besides tensors that such a file may hold.

    Raises `InputError` when the file is missing, damaged, or of another kind.
    """
    path = Path(path)
    if path.is_dir():
        return read_onnx(path)
    if path.suffix == ".safetensors":
        return _read_safetensors(path)
    return state_dict_of(read_torch(path, allowed=allowed), path)


def _read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a safetensors file; those in bfloat16 as float32."""
    safetensors, content = import_optional("safetensors", "npformer"), read_bytes(path)
    try:
        return {name: as_array(name, part, path) for name, part in safetensors.deserialize(content)}
    except safetensors.SafetensorError as error:
        raise InputError(f"{path} is damaged or no safetensors file: {str(error).splitlines()[0]}") from None


def as_array(name: str, part: dict, path: Path) -> np.ndarray:
    """Return one tensor of a safetensors file as an array of its own."""
    kind, data = part["dtype"], part["data"]
    if kind == "BF16":  # the upper half of a float32
        return (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").reshape(part["shape"])
    if kind not in TYPES:
        raise InputError(f"{path}: {name} is of the type {kind}: expected one of {', '.join(TYPES)}, BF16")
    return np.frombuffer(data, TYPES[kind]).reshape(part["shape"])


def read_torch(path: Path, *, allowed: tuple = ()):
    """Return what torch.save wrote: tensors, numbers and texts in dicts and lists, and objects of `allowed` classes.

    Anything else in the file could be code, and is refused before it is made.
    """
    opening = read_bytes(path)[:2]
    if opening != b"PK" and opening[:1] != b"\x80":  # of a zip file, and of a pickle
        raise InputError(f"{path} {NEITHER}")
    torch = import_optional("torch", "npformer[torch]")
    safe = torch.serialization.safe_globals(list(allowed))
    try:
        with warnings.catch_warnings(), safe:
            warnings.simplefilter("ignore")  # of the old format
            return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever a damaged pickle leads to
        if opening == b"PK" and type(error).__name__ == "UnpicklingError":
            why = "it holds more than tensors, which could be code, and is not unpickled"
            raise InputError(f"{path}: {why}. Write it with  torch.save(model.state_dict(), FILE)") from None
        raise InputError(f"{path} {NEITHER}") from None


def state_dict_of(content, path: Path) -> dict[str, np.ndarray]:
    """Return the state dict in what torch.save wrote, as arrays; those in bfloat16 as float32."""
    torch = import_optional("torch", "npformer[torch]")
    for name in NESTED:
        if isinstance(content, dict) and isinstance(content.get(name), dict):
            content = content[name]
    tensors = content if isinstance(content, dict) else {}
    if not tensors or not all(isinstance(tensor, torch.Tensor) for tensor in tensors.values()):
        expected = f"a state dict, or one under {', '.join(map(repr, NESTED))}"
        raise InputError(
            f"{path} holds no state dict: expected {expected}, as torch.save(model.state_dict(), FILE) has"
        )
    tensors = {name: t.float() if t.dtype is torch.bfloat16 else t for name, t in tensors.items()}
    arrays = {}
    for name, tensor in tensors.items():
        try:
            arrays[name] = tensor.detach().numpy()
        except (TypeError, RuntimeError):
            kind = f"{tensor.dtype}, {tensor.layout}".replace("torch.", "")
            raise InputError(
                f"{path}: {name} is of the type {kind}: expected a dense tensor of plain numbers"
            ) from None
    return arrays
