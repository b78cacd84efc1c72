"""The two opponents: the same work out of torch modules, and nn.Transformer as its documentation
shows it.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

import npformer as npf
from npformer.layers.positional_encoding import sinusoids


class Embedding(nn.Module):
    """Token embeddings and positions, dropped out; `logits` scores tokens with the same table."""

    positions: torch.Tensor

    def __init__(self, config: npf.TransformerConfig):
        super().__init__()
        self.table = nn.Embedding(config.tgt_vocab_size, config.d_model)
        nn.init.normal_(self.table.weight, std=config.d_model**-0.5)
        self.scale = math.sqrt(config.d_model)
        positions = torch.from_numpy(sinusoids(config.max_len, config.d_model)).float()
        self.register_buffer("positions", positions, persistent=False)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids):
        return self.dropout(self.table(ids) * self.scale + self.positions[: ids.shape[1]])

    def logits(self, x):
        return F.linear(x, self.table.weight)


class Attention(nn.Module):
    def __init__(self, config: npf.TransformerConfig):
        super().__init__()
        self.n_heads = config.n_heads
        self.w_query = nn.Linear(config.d_model, config.d_model)
        self.w_key = nn.Linear(config.d_model, config.d_model)
        self.w_value = nn.Linear(config.d_model, config.d_model)
        self.w_output = nn.Linear(config.d_model, config.d_model)

    def heads(self, x):
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, x, memory, mask):
        query, key, value = self.w_query(x), self.w_key(memory), self.w_value(memory)
        heads = F.scaled_dot_product_attention(
            self.heads(query), self.heads(key), self.heads(value), attn_mask=mask
        )
        return self.w_output(heads.transpose(1, 2).flatten(2))


class SelfAttention(Attention):
    def forward(self, x, mask):  # type: ignore[override]
        return super().forward(x, x, mask)


class FeedForward(nn.Module):
    def __init__(self, config: npf.TransformerConfig):
        super().__init__()
        self.linear_1 = nn.Linear(config.d_model, config.d_ff)
        self.linear_2 = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x):
        return self.linear_2(F.relu(self.linear_1(x)))


class AddNorm(nn.Module):
    def __init__(self, sublayer: nn.Module, config: npf.TransformerConfig):
        super().__init__()
        self.sublayer = sublayer
        self.dropout = nn.Dropout(config.dropout)
        self.norm = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)

    def forward(self, x, *context):
        return self.norm(x + self.dropout(self.sublayer(x, *context)))


class EncoderLayer(nn.Module):
    def __init__(self, config: npf.TransformerConfig):
        super().__init__()
        self.self_attention = AddNorm(SelfAttention(config), config)
        self.feed_forward = AddNorm(FeedForward(config), config)

    def forward(self, x, mask):
        return self.feed_forward(self.self_attention(x, mask))


class DecoderLayer(nn.Module):
    def __init__(self, config: npf.TransformerConfig):
        super().__init__()
        self.self_attention = AddNorm(SelfAttention(config), config)
        self.cross_attention = AddNorm(Attention(config), config)
        self.feed_forward = AddNorm(FeedForward(config), config)

    def forward(self, x, memory, mask, memory_mask):
        x = self.self_attention(x, mask)
        return self.feed_forward(self.cross_attention(x, memory, memory_mask))


class SameWork(nn.Module):
    """What npformer computes, layer by layer, with dropout where the paper has it."""

    def __init__(self, config: npf.TransformerConfig):
        super().__init__()
        self.embedding = Embedding(config)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(config.n_encoder_layers))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.n_decoder_layers))

    def forward(self, src, tgt):
        src_mask = (src != 0)[:, None, None, :]
        causal = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool).tril()
        tgt_mask = (tgt != 0)[:, None, None, :] & causal
        memory = self.embedding(src)
        for layer in self.encoder:
            memory = layer(memory, src_mask)
        x = self.embedding(tgt)
        for layer in self.decoder:
            x = layer(x, memory, tgt_mask, src_mask)
        return self.embedding.logits(x)


class UserTransformer(nn.Module):
    """nn.Transformer: it also drops out attention weights and inside the FFN, and ends each stack
    with a LayerNorm.
    """

    def __init__(self, config: npf.TransformerConfig):
        super().__init__()
        self.embedding = Embedding(config)
        self.transformer = nn.Transformer(
            d_model=config.d_model,
            nhead=config.n_heads,
            num_encoder_layers=config.n_encoder_layers,
            num_decoder_layers=config.n_decoder_layers,
            dim_feedforward=config.d_ff,
            dropout=config.dropout,
            batch_first=True,
        )

    def forward(self, src, tgt):
        future = nn.Transformer.generate_square_subsequent_mask(tgt.shape[1]) != 0
        x = self.transformer(
            self.embedding(src),
            self.embedding(tgt),
            tgt_mask=future,
            src_key_padding_mask=src == 0,
            tgt_key_padding_mask=tgt == 0,
            memory_key_padding_mask=src == 0,
            tgt_is_causal=True,
        )
        return self.embedding.logits(x)
