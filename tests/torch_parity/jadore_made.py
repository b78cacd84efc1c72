"""The Transformer of jadore801120/attention-is-all-you-need-pytorch in few lines, with the names of its parameters."""

import math
from argparse import Namespace

from npformer.layers.positional_encoding import sinusoids

from .their_translator import SPECIALS
from .weights import torch

nn = torch.nn
SOURCE = ["<s>", *"ab", "<unk>", "c", "<blank>", "d", "</s>", *"efgh"]  # special tokens where SPECIALS has them
TARGET = ["<s>", *"zy", "<unk>", "x", "<blank>", "w", "</s>", *"vuts"]
PAD = SPECIALS["<pad>"]
SETTINGS = {"d_model": 16, "d_inner_hid": 24, "d_k": 5, "d_v": 7, "n_head": 3, "n_layers": 2, "dropout": 0.2}
SETTINGS |= {"scale_emb_or_prj": "prj", "proj_share_weight": True, "embs_share_weight": False}
SETTINGS |= {"src_pad_idx": PAD, "trg_pad_idx": PAD, "batch_size": 64, "output_dir": "out", "no_cuda": True}
N_POSITION = 30


class Attention(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.shape = s.n_head, s.d_k, s.d_v
        self.w_qs, self.w_ks = (nn.Linear(s.d_model, s.n_head * s.d_k, bias=False) for _ in range(2))
        self.w_vs = nn.Linear(s.d_model, s.n_head * s.d_v, bias=False)
        self.fc = nn.Linear(s.n_head * s.d_v, s.d_model, bias=False)
        self.layer_norm = nn.LayerNorm(s.d_model, eps=1e-6)

    def forward(self, x, memory, hidden):  # (B, T, D), (B, S, D), (B, T or 1, S)
        n_head, d_k, d_v = self.shape
        heads = (
            (w(y), width) for w, y, width in ((self.w_qs, x, d_k), (self.w_ks, memory, d_k), (self.w_vs, memory, d_v))
        )
        q, k, v = (y.unflatten(-1, (n_head, width)).transpose(1, 2) for y, width in heads)  # (B, H, T or S, width)
        scores = (q @ k.transpose(2, 3) / math.sqrt(d_k)).masked_fill(hidden[:, None], -1e9)
        return self.layer_norm(x + self.fc((scores.softmax(-1) @ v).transpose(1, 2).flatten(2)))


class FeedForward(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(s.d_model, s.d_inner_hid), nn.Linear(s.d_inner_hid, s.d_model)
        self.layer_norm = nn.LayerNorm(s.d_model, eps=1e-6)

    def forward(self, x):
        return self.layer_norm(x + self.w_2(self.w_1(x).relu()))


class Layer(nn.Module):
    def __init__(self, s, *, decodes):
        super().__init__()
        self.slf_attn = Attention(s)
        self.enc_attn = Attention(s) if decodes else None
        self.pos_ffn = FeedForward(s)

    def forward(self, x, hidden, *memory):
        x = self.slf_attn(x, x, hidden)
        return self.pos_ffn(self.enc_attn(x, *memory) if memory else x)


class Positions(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.register_buffer("pos_table", torch.tensor(sinusoids(N_POSITION, d_model)[None], dtype=torch.float32))


class Column(nn.Module):
    def __init__(self, s, name, n_tokens, *, decodes):
        super().__init__()
        self.name, self.scale = name, math.sqrt(s.d_model) if s.scale_emb_or_prj == "emb" and s.proj_share_weight else 1
        setattr(self, name, nn.Embedding(n_tokens, s.d_model))
        self.position_enc = Positions(s.d_model)
        self.layer_stack = nn.ModuleList(Layer(s, decodes=decodes) for _ in range(s.n_layers))
        self.layer_norm = nn.LayerNorm(s.d_model, eps=1e-6)

    def forward(self, ids, hidden, *memory):
        x = getattr(self, self.name)(ids) * self.scale + self.position_enc.pos_table[:, : ids.shape[1]]
        x = self.layer_norm(x)
        for layer in self.layer_stack:
            x = layer(x, hidden, *memory)
        return x


class Theirs(nn.Module):
    def __init__(self, s, n_source, n_target):
        super().__init__()
        self.encoder = Column(s, "src_word_emb", n_source, decodes=False)
        self.decoder = Column(s, "trg_word_emb", n_target, decodes=True)
        self.trg_word_prj = nn.Linear(s.d_model, n_target, bias=False)
        if s.proj_share_weight:
            self.trg_word_prj.weight = self.decoder.trg_word_emb.weight
        if s.embs_share_weight:
            self.encoder.src_word_emb.weight = self.decoder.trg_word_emb.weight
        self.scale = 1 / math.sqrt(s.d_model) if s.scale_emb_or_prj == "prj" and s.proj_share_weight else 1

    def forward(self, src, tgt):  # (B, S), (B, T)
        hidden = (src == PAD)[:, None]
        future = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool).triu(1)
        memory = self.encoder(src, hidden)
        return self.trg_word_prj(self.decoder(tgt, (tgt == PAD)[:, None] | future, memory, hidden)) * self.scale


def make(folder, *, seed=0, **settings):
    """Write weights and a checkpoint as their train.py does, and both vocabularies; return the model."""
    s = Namespace(**SETTINGS | settings)
    torch.manual_seed(seed)
    theirs = Theirs(s, len(SOURCE), len(TARGET)).eval()
    for parameter in theirs.parameters():
        parameter.data += torch.randn_like(parameter) * 0.3
    torch.save({"epoch": 3, "settings": s, "model": theirs.state_dict()}, folder / "model.chkpt")
    torch.save({"epoch": 3, "model": theirs.state_dict()}, folder / "model.pt")
    for name, tokens in (("source", SOURCE), ("target", SOURCE if s.embs_share_weight else TARGET)):
        (folder / f"{name}.txt").write_text("".join(f"{token}\n" for token in tokens))
    return theirs
