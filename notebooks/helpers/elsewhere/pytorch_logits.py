"""An nn.Transformer whose weights are a formula, and the logits that PyTorch computes with it.

Because of the formula, everyone can make the same model again.
"""

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

PYTORCH = (
    "2.13.0"  # whose `by_pytorch` LOGITS is, on a CPU; tests/verification/parity compares them
)
SRC = np.array([[5, 8, 4, 9, 3]])  # ids; 3 is <eos>
TGT = np.array([[2, 7, 6]])  # 2 is <bos>
_LOGITS = """
-2.53227 -0.73696 0.15249 0.37696 -0.77832 -0.20532 -0.89756 -0.0271 -0.07505 -0.99466
-2.29092 -1.33617 0.0222 0.43887 -0.47253 0.00173 -1.016 0.26268 -0.45534 -0.73426
-2.45213 -0.62327 0.21195 0.27444 -0.41751 -0.15009 -0.97704 0.07741 -0.04374 -0.72738
"""
LOGITS = np.array(_LOGITS.split(), dtype="float32").reshape(3, 10)  # (T, V)


def write_formula(folder: Path) -> Path:
    """Write the state dict of a small pre-norm nn.Transformer, and its tokens.

    It has GELU and four heads.
    """
    make_folder(folder)
    path = folder / "model.safetensors"
    vocabulary = Vocabulary.build(["a b c d e f"])
    config = npf.TransformerConfig(
        d_model=16,
        d_ff=32,
        n_heads=4,
        n_encoder_layers=2,
        n_decoder_layers=2,
        max_len=8,
        src_vocab_size=len(vocabulary),
        tgt_vocab_size=len(vocabulary),
        dropout=0.0,
        **OTHERS["nn.Transformer"],
    )

    # the weights of this model give the names and shapes
    save_nn_transformer(npf.Transformer(config, rng=0), path)
    weights = {name: by_formula(name, array.shape) for name, array in load_file(path).items()}
    save_file(weights, path)
    write_tokens(folder / "tokens.txt", vocabulary.tokens)
    return path


def by_formula(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return weights between -0.5 and 0.5 that depend on the letters of the name alone."""
    start = sum(i * ord(letter) for i, letter in enumerate(name, 1))
    values = 0.5 * np.sin(start + 0.37 * np.arange(np.prod(shape)) ** 2)
    return values.reshape(shape).astype("float32")


def by_pytorch(path: Path):
    """Return the logits (T, V) of SRC and TGT that PyTorch computes, as a tensor.

    `path` is a file of `write_formula`. Raises `MissingExtraError` without PyTorch.
    """
    torch = import_optional("torch", "npformer[torch]")
    weights = {name: torch.from_numpy(array) for name, array in load_file(path).items()}

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="enable_nested_tensor")  # not used with pre-norm
        net = torch.nn.Transformer(
            d_model=16,
            nhead=4,
            num_encoder_layers=2,
            num_decoder_layers=2,
            dim_feedforward=32,
            activation="gelu",
            norm_first=True,
            batch_first=True,
        )
    net.eval()

    # nn.Transformer has neither embeddings nor a generator
    of_net = {}
    for name, tensor in weights.items():
        if "transformer." in name:
            of_net[name.removeprefix("transformer.")] = tensor
    net.load_state_dict(of_net)

    with torch.no_grad():
        source = _embed(weights, "source", SRC)
        target = _embed(weights, "target", TGT)
        future = net.generate_square_subsequent_mask(TGT.shape[1])
        y = net(source, target, tgt_mask=future)  # (1, T, D)
        return (y @ weights["generator.weight"].T + weights["generator.bias"])[0]


def _embed(weights: dict, side: str, ids: np.ndarray):
    """Return the sum of the embeddings and positions, (1, length, D)."""
    positions = weights[f"{side}_positions.weight"][: ids.shape[1]]
    return math.sqrt(16) * weights[f"{side}_embedding.weight"][ids] + positions
