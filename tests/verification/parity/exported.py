"""What reads a file of `npformer export` in PyTorch: to copy."""

import json

import safetensors.torch
import torch
from torch import nn


class Exported(nn.Module):
    """The model in a file of `npformer export`: logits = model(src, tgt) of ids (B, S) and (B,
    T).
    """

    def __init__(self, path):
        super().__init__()
        with safetensors.safe_open(path, "pt") as file:
            self.note = json.loads(file.metadata()["note"].partition(" ")[2])  # behind a checksum
        weights = safetensors.torch.load_file(path)
        activation = getattr(nn.functional, self.note["transformer"]["activation"])
        self.transformer = nn.Transformer(**self.note["transformer"] | {"activation": activation})
        if not self.note["final_norm"]:
            self.transformer.encoder.norm = self.transformer.decoder.norm = None
        for name in {name.partition(".")[0] for name in weights} - {"transformer"}:
            table = weights[f"{name}.weight"]
            setattr(self, name, nn.Embedding(*table.shape))
        self.generator = nn.Linear(
            *weights["generator.weight"].T.shape, bias="generator.bias" in weights
        )
        self.to(weights["generator.weight"].dtype).load_state_dict(weights)

    def embed(self, ids, side):
        embedding, positions = (
            getattr(self, f"{side}_embedding"),
            getattr(self, f"{side}_positions").weight,
        )
        return embedding(ids) * self.note["embedding_scale"] + positions[: ids.shape[1]]

    def forward(self, src, tgt):
        padding, future = (
            src == self.note["ids"]["pad"],
            torch.ones(2 * tgt.shape[1:], dtype=torch.bool).triu(1),
        )
        masks = dict(src_key_padding_mask=padding, memory_key_padding_mask=padding, tgt_mask=future)
        return self.generator(
            self.transformer(self.embed(src, "source"), self.embed(tgt, "target"), **masks)
        )
