"""An nn.Transformer whose weights are a formula, so that anybody can make it again, and the logits of PyTorch."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

import npformer as npf
from npformer.interop import save_nn_transformer
from npformer.text import Vocabulary
from npformer.utils import import_optional
from npformer.utils.files import make_folder

from .models import OTHERS
from .writing import write_tokens

PYTORCH = "2.13.0"  # the version whose `by_pytorch` LOGITS is, on a CPU; tests/verification/parity compares them
SRC, TGT = np.array([[5, 8, 4, 9, 3]]), np.array([[2, 7, 6]])  # ids; 2 is <bos>, 3 is <eos>
LOGITS = np.array(
    [
        [-2.53227, -0.73696, 0.15249, 0.37696, -0.77832, -0.20532, -0.89756, -0.0271, -0.07505, -0.99466],
        [-2.29092, -1.33617, 0.0222, 0.43887, -0.47253, 0.00173, -1.016, 0.26268, -0.45534, -0.73426],
        [-2.45213, -0.62327, 0.21195, 0.27444, -0.41751, -0.15009, -0.97704, 0.07741, -0.04374, -0.72738],
    ],
    dtype="float32",
)


def write_formula(folder: Path) -> Path:
    """Write the state dict of a small pre-norm nn.Transformer with GELU and four heads, and its tokens."""
    make_folder(folder)
    vocabulary, path = Vocabulary.build(["a b c d e f"]), folder / "model.safetensors"
    sizes = {"d_model": 16, "d_ff": 32, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 2, "max_len": 8}
    sizes |= {"src_vocab_size": len(vocabulary), "tgt_vocab_size": len(vocabulary), "dropout": 0.0}
    model = npf.Transformer(npf.TransformerConfig(**sizes, **OTHERS["nn.Transformer"]), rng=0)
    save_nn_transformer(model, path)  # for the names and shapes
    save_file({name: by_formula(name, array.shape) for name, array in load_file(path).items()}, path)
    write_tokens(folder / "tokens.txt", vocabulary.tokens)
    return path


def by_formula(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return weights between -0.5 and 0.5 that depend on the letters of the name alone."""
    start = sum(i * ord(letter) for i, letter in enumerate(name, 1))
    return (0.5 * np.sin(start + 0.37 * np.arange(np.prod(shape)) ** 2)).reshape(shape).astype("float32")


def by_pytorch(path: Path):
    """Return the logits (T, V) of SRC and TGT that PyTorch computes from a file of `write_formula`, as a tensor.

    Raises `MissingExtraError` without PyTorch.
    """
    torch = import_optional("torch", "npformer[torch]")
    weights = {name: torch.from_numpy(array) for name, array in load_file(path).items()}
    sizes = {"d_model": 16, "nhead": 4, "num_encoder_layers": 2, "num_decoder_layers": 2, "dim_feedforward": 32}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="enable_nested_tensor")  # which pre-norm does not use
        net = torch.nn.Transformer(**sizes, activation="gelu", norm_first=True, batch_first=True).eval()
    net.load_state_dict({name.removeprefix("transformer."): x for name, x in weights.items() if "transformer." in name})

    def embed(side, ids):
        positions = weights[f"{side}_positions.weight"][: ids.shape[1]]
        return math.sqrt(16) * weights[f"{side}_embedding.weight"][ids] + positions  # (1, length, D)

    with torch.no_grad():
        future = net.generate_square_subsequent_mask(TGT.shape[1])
        y = net(embed("source", SRC), embed("target", TGT), tgt_mask=future)  # (1, T, D)
        return (y @ weights["generator.weight"].T + weights["generator.bias"])[0]
