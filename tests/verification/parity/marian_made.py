"""Small models of Marian, made on the spot by the libraries that they come from, as a folder that
is downloaded.
"""

import io
import json
from pathlib import Path

import pytest

from npformer.datasets import phrasebook

from .weights import torch

transformers = pytest.importorskip(
    "transformers", reason='transformers is missing: pip install -e ".[parity]"'
)
sentencepiece = pytest.importorskip(
    "sentencepiece", reason='sentencepiece is missing: pip install -e ".[marian]"'
)

SIZES = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 3, "max_position_embeddings": 64}
SIZES |= {
    f"{column}_{what}": n
    for column in ("encoder", "decoder")
    for what, n in (("attention_heads", 4), ("ffn_dim", 48))
}
LANGUAGE = ">>deu<<"


def spm(lines: list[str], size: int) -> bytes:
    """Return a model of SentencePieces, trained on some lines."""
    out = io.BytesIO()
    how = {"vocab_size": size, "hard_vocab_limit": False, "minloglevel": 2, "num_threads": 1}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=out, **how)
    return out.getvalue()


def pieces(model: bytes) -> list[str]:
    """Return the pieces of a model, without its special ones."""
    read = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [read.id_to_piece(i) for i in range(3, len(read))]


def write_vocabularies(folder: Path, *, separate: bool = False) -> tuple[int, int]:
    """Write both .spm files and vocab.json, </s> first and <pad> last, as Marian's; return its
    size and <pad>'s id.
    """
    pairs = phrasebook.split(400, 0, seed=2)[0]
    models = [spm([pair[side] for pair in pairs], size) for side, size in ((0, 150), (1, 170))]
    found = [pieces(model) for model in models]
    n = min(map(len, found))
    lists = (
        [side[:n] for side in found]
        if separate
        else [list(dict.fromkeys([LANGUAGE, *found[0], *found[1]]))]
    )
    for name, tokens in zip(("vocab", "target_vocab"), lists, strict=False):
        ids = {token: i for i, token in enumerate(["</s>", "<unk>", *tokens, "<pad>"])}
        (folder / f"{name}.json").write_text(json.dumps(ids))
    for side, model in zip(("source", "target"), models, strict=True):
        (folder / f"{side}.spm").write_bytes(model)
    (folder / "tokenizer_config.json").write_text(json.dumps({"separate_vocabs": separate}))
    return len(lists[0]) + 3, len(lists[0]) + 2


def make(
    folder: Path, *, steps: int = 0, separate: bool = False, seed: int = 0, **settings
) -> transformers.MarianMTModel:
    """Write a folder with a model of random weights, so large that all of them tell, or trained
    for a few steps.
    """
    size, pad_id = write_vocabularies(folder, separate=separate)
    ids = dict(
        vocab_size=size, decoder_vocab_size=size, pad_token_id=pad_id, decoder_start_token_id=pad_id
    )
    ids |= {
        "eos_token_id": 0,
        "forced_eos_token_id": None,
        "share_encoder_decoder_embeddings": not separate,
    }
    torch.manual_seed(seed)
    settings = {"activation_function": "swish", "scale_embedding": True, **settings}
    model = transformers.MarianMTModel(transformers.MarianConfig(**SIZES | ids | settings))
    for name, parameter in model.named_parameters():
        if "positions" not in name:
            parameter.data += torch.randn_like(parameter) * (0.05 if "norm" in name else 0.15)
    if steps:
        train(model, transformers.MarianTokenizer.from_pretrained(folder), steps)
    model.final_logits_bias += torch.randn(size) / 4
    model.final_logits_bias[0, 0] += 2  # so that sentences end
    model.eval().save_pretrained(folder)
    return model


def train(model, tokenizer, steps: int) -> None:
    """Teach the model some of the phrasebook, so that what it writes differs from sentence to
    sentence.
    """
    pairs = phrasebook.split(400, 0, seed=2)[0]
    adam = torch.optim.Adam(model.train().parameters(), 3e-3)
    for step in range(steps):
        chosen = pairs[16 * step % 400 :][:16]
        sources, targets = ([pair[side] for pair in chosen] for side in (0, 1))
        batch = tokenizer(sources, text_target=targets, return_tensors="pt", padding=True)
        labels = batch.pop("labels")
        loss = model(
            **batch, labels=labels.masked_fill(labels == tokenizer.pad_token_id, -100)
        ).loss
        loss.backward()
        adam.step()
        adam.zero_grad()
