"""The same language model out of torch modules: pre-norm, learned positions, GELU, one table, no
dropout.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from npformer.models import LanguageModel, LanguageModelConfig


class Attention(nn.Module):
    def __init__(self, config: LanguageModelConfig):
        super().__init__()
        self.n_heads = config.n_heads
        bias = config.attention_bias
        self.w_query = nn.Linear(config.d_model, config.d_model, bias=bias)
        self.w_key = nn.Linear(config.d_model, config.d_model, bias=bias)
        self.w_value = nn.Linear(config.d_model, config.d_model, bias=bias)
        self.w_output = nn.Linear(config.d_model, config.d_model, bias=bias)

    def heads(self, x):
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, x):
        query = self.heads(self.w_query(x))
        key = self.heads(self.w_key(x))
        value = self.heads(self.w_value(x))
        heads = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.w_output(heads.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, config: LanguageModelConfig):
        super().__init__()
        self.linear_1 = nn.Linear(config.d_model, config.d_ff)
        self.linear_2 = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x):
        return self.linear_2(F.gelu(self.linear_1(x)))


class PreNorm(nn.Module):
    def __init__(self, sublayer: nn.Module, config: LanguageModelConfig):
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


class TorchLanguageModel(nn.Module):
    """What npformer's LanguageModel computes, with its weights."""

    def __init__(self, model: LanguageModel):
        super().__init__()
        c = model.config
        self.table = nn.Embedding(c.vocab_size, c.d_model)
        self.positions = nn.Embedding(c.max_len, c.d_model)
        boxes = (
            (PreNorm(Attention(c), c), PreNorm(FeedForward(c), c))
            for _ in range(c.n_decoder_layers)
        )
        self.layers = nn.ModuleList(box for pair in boxes for box in pair)
        self.norm = nn.LayerNorm(c.d_model, eps=c.layer_norm_eps)
        self.scale = math.sqrt(c.d_model)
        self.take(model)

    def forward(self, ids):
        x = self.table(ids) * self.scale + self.positions.weight[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return F.linear(self.norm(x), self.table.weight)

    @torch.no_grad()
    def take(self, model: LanguageModel) -> None:
        """Copy the weights of npformer's model; its matrices are (in, out), those of torch (out,
        in).
        """
        theirs = {name: p.data for name, p in model.named_parameters()}
        own = dict(self.named_parameters())
        own["table.weight"].copy_(
            torch.from_numpy(theirs.pop("decoder.input_embedding.embedding.table"))
        )
        own["positions.weight"].copy_(
            torch.from_numpy(theirs.pop("decoder.input_embedding.positions.table"))
        )
        for name, array in theirs.items():
            name = name.removeprefix("decoder.").replace("gain", "weight")
            for n in range(model.config.n_decoder_layers):
                name = name.replace(f"layers.{n}.self_attention", f"boxes.{2 * n}")
                name = name.replace(f"layers.{n}.feed_forward", f"boxes.{2 * n + 1}")
            tensor = torch.from_numpy(array)
            own[name.replace("boxes", "layers")].copy_(tensor.T if tensor.ndim == 2 else tensor)
