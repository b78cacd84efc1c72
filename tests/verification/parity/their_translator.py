"""A PyTorch module as people write it around nn.Transformer, with a choice of what they differ
in.
"""

import math
import warnings

from .torch_transformer import waves
from .weights import torch

nn = torch.nn
D_MODEL, D_FF, HEADS, MAX_LEN = 16, 24, 4, 20
SPECIALS = {"<pad>": 5, "<unk>": 3, "<s>": 0, "</s>": 7}  # where they stand: not as ours
SOURCE = [*"abcdefghijk"]
TARGET = [*"ABCDEFGHI"]


def their_tokens(words):
    """Return the tokens of a vocabulary in the order of their ids."""
    tokens = list(words)
    for token, place in sorted(SPECIALS.items(), key=lambda item: item[1]):
        tokens.insert(place, token)
    return tokens


class TheirTranslator(nn.Module):
    """nn.Transformer between embeddings and generator; `tie_embeddings` and `positions` are as in npformer's
    config.
    """

    def __init__(
        self,
        *,
        tie_embeddings="none",
        scale="sqrt",
        positions="learned",
        generator_bias=True,
        batch_first=True,
        dtype=torch.float32,
        **settings,
    ):
        super().__init__()
        n_source = n_target = len(TARGET if tie_embeddings == "all" else SOURCE) + len(SPECIALS)
        n_target = n_source if tie_embeddings == "all" else len(TARGET) + len(SPECIALS)
        self.scale = math.sqrt(D_MODEL) if scale == "sqrt" else 1.0
        self.batch_first = batch_first
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="enable_nested_tensor")
            sizes = (D_MODEL, HEADS, 2, 3, D_FF, 0.0)
            self.net = nn.Transformer(*sizes, batch_first=batch_first, **settings)
        self.net.encoder.use_nested_tensor = False  # a prototype, which warns
        self.src_embedding = nn.Embedding(n_source, D_MODEL)
        self.tgt_embedding = (
            self.src_embedding if tie_embeddings == "all" else nn.Embedding(n_target, D_MODEL)
        )
        self.generator = nn.Linear(D_MODEL, n_target, bias=generator_bias)
        if tie_embeddings != "none":
            self.generator.weight = self.tgt_embedding.weight
        if positions == "learned":
            self.src_positions, self.tgt_positions = (
                nn.Embedding(MAX_LEN, D_MODEL) for _ in range(2)
            )
        elif positions == "buffer":
            self.register_buffer("pe", waves(MAX_LEN, D_MODEL)[:, None])
        self.to(dtype)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter += 0.3 * torch.randn_like(parameter)
        self.eval()

    def places(self, side, length):
        """Return the positions (length, D)."""
        if hasattr(self, "src_positions"):
            return getattr(self, f"{side}_positions").weight[:length]
        return waves(length, D_MODEL).to(self.generator.weight.dtype)

    def forward(self, src, tgt):
        """Return logits (B, T, V) for their ids (B, S) and (B, T)."""
        pad = SPECIALS["<pad>"]
        x = self.src_embedding(src) * self.scale + self.places("src", src.shape[1])
        y = self.tgt_embedding(tgt) * self.scale + self.places("tgt", tgt.shape[1])
        if not self.batch_first:
            x, y = x.transpose(0, 1), y.transpose(0, 1)
        y = self.net(
            x,
            y,
            tgt_mask=torch.ones(tgt.shape[1], tgt.shape[1], dtype=bool).triu(1),
            src_key_padding_mask=src == pad,
            tgt_key_padding_mask=tgt == pad,
            memory_key_padding_mask=src == pad,
        )
        return self.generator(y if self.batch_first else y.transpose(0, 1))
