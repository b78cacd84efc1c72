"""The paper's model as PyTorch has it: nn.Transformer between embeddings and generator of plain
tensors.
"""

import math

from .weights import torch

nn = torch.nn


def encoder_layer(config):
    """Build the nn.TransformerEncoderLayer of a config."""
    return nn.TransformerEncoderLayer(**layer_settings(config))


def decoder_layer(config):
    """Build the nn.TransformerDecoderLayer of a config."""
    return nn.TransformerDecoderLayer(**layer_settings(config))


def layer_settings(config):
    return {
        "d_model": config.d_model,
        "nhead": config.n_heads,
        "dim_feedforward": config.d_ff,
        "dropout": 0.0,
        "layer_norm_eps": config.layer_norm_eps,
        "batch_first": True,
        "norm_first": config.norm == "pre",
        "activation": {
            "relu": nn.functional.relu,
            "gelu": nn.functional.gelu,
            "silu": nn.functional.silu,
        }[config.activation],
        "dtype": torch.float64,
    }


def core(config):
    """Build an nn.Transformer whose stacks end in a LayerNorm where ours do."""
    norms = [layer_norm(config) if ends_in_norm(config) else None for _ in range(2)]
    layers = encoder_layer(config), config.n_encoder_layers
    encoder = nn.TransformerEncoder(*layers, norm=norms[0], enable_nested_tensor=False)
    decoder = nn.TransformerDecoder(decoder_layer(config), config.n_decoder_layers, norm=norms[1])
    return nn.Transformer(
        config.d_model,
        config.n_heads,
        custom_encoder=encoder,
        custom_decoder=decoder,
        batch_first=True,
    )


def ends_in_norm(config):
    return config.norm == "pre" if config.final_norm is None else config.final_norm


def layer_norm(config):
    return nn.LayerNorm(config.d_model, config.layer_norm_eps, dtype=torch.float64)


def waves(length, d_model, halves=False):
    """Return the sinusoids (length, D) of the paper's section 3.5, or Marian's."""
    frequency = torch.exp(
        torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000) / d_model)
    )
    angle = torch.arange(length, dtype=torch.float64)[:, None] * frequency
    if halves:
        return torch.cat((angle.sin(), angle.cos()), dim=-1)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).reshape(length, d_model)


class TorchTransformer(nn.Module):
    """The function that npformer.Transformer computes, differentiated by autograd."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.core = core(config)
        self.src_table = self.weight(config.src_vocab_size)
        self.tgt_table = (
            self.src_table if config.tie_embeddings == "all" else self.weight(config.tgt_vocab_size)
        )
        self.generator_table = (
            self.weight(config.tgt_vocab_size)
            if config.tie_embeddings == "none"
            else self.tgt_table
        )
        learned, halves = (
            config.positions == "learned",
            config.positions == "sinusoidal_concatenated",
        )
        self.src_positions = (
            self.weight(config.max_len)
            if learned
            else waves(config.max_len, config.d_model, halves)
        )
        self.tgt_positions = (
            self.weight(config.max_len)
            if learned
            else waves(config.max_len, config.d_model, halves)
        )
        self.src_norm, self.tgt_norm = (
            layer_norm(config) if config.embedding_norm else nn.Identity() for _ in range(2)
        )
        self.generator_bias = (
            nn.Parameter(torch.zeros(config.tgt_vocab_size, dtype=torch.float64))
            if config.generator_bias
            else None
        )

    def weight(self, rows):
        return nn.Parameter(torch.zeros(rows, self.config.d_model, dtype=torch.float64))

    def embed(self, ids, table, positions):
        return table[ids] * math.sqrt(self.config.d_model) + positions[: ids.shape[1]]

    def forward(self, src, tgt):
        src_padding, tgt_padding = src == self.config.pad_id, tgt == self.config.pad_id
        if self.config.start_id == self.config.pad_id:
            tgt_padding[:, 0] = False
        y = self.core(
            self.src_norm(self.embed(src, self.src_table, self.src_positions)),
            self.tgt_norm(self.embed(tgt, self.tgt_table, self.tgt_positions)),
            tgt_mask=torch.ones(tgt.shape[1], tgt.shape[1], dtype=bool).triu(1),
            src_key_padding_mask=src_padding,
            tgt_key_padding_mask=tgt_padding,
            memory_key_padding_mask=src_padding,
        )
        return y @ self.generator_table.T + (
            0 if self.generator_bias is None else self.generator_bias
        )


class TorchClassifier(nn.Module):
    """The function that npformer.models.Classifier computes, by attention, differentiated by
    autograd.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        norm = layer_norm(config) if ends_in_norm(config) else None
        layers = encoder_layer(config), config.n_encoder_layers
        self.encoder = nn.TransformerEncoder(*layers, norm=norm, enable_nested_tensor=False)
        self.table = nn.Parameter(
            torch.zeros(config.vocab_size, config.d_model, dtype=torch.float64)
        )
        self.positions = (
            nn.Parameter(torch.zeros(config.max_len, config.d_model, dtype=torch.float64))
            if config.positions == "learned"
            else waves(config.max_len, config.d_model)
        )
        self.output = nn.Linear(config.d_model, config.n_classes, dtype=torch.float64)

    def forward(self, ids):
        padding = ids == self.config.pad_id
        x = self.table[ids] * math.sqrt(self.config.d_model) + self.positions[: ids.shape[1]]
        memory = self.encoder(x, src_key_padding_mask=padding)
        return self.output(self.pooled(memory, padding[:, :, None]))

    def pooled(self, memory, padding):
        if self.config.pooling == "first":
            return memory[:, 0]
        if self.config.pooling == "max":
            return memory.masked_fill(padding, -math.inf).amax(1)
        return memory.masked_fill(padding, 0).sum(1) / (~padding).sum(1)
