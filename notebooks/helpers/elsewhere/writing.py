"""Models written as their own programs would.

Names and the order of the tokens are theirs, and matrices are transposed. Each function takes a
model of `trained` and a folder, and returns what the importer is to be given.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from npformer.interop import jadore, marian, save_nn_transformer
from npformer.interop.convert_weights import layer_names
from npformer.layers.positional_encoding import sinusoids
from npformer.models import TransformerConfig
from npformer.tasks import Translator
from npformer.text import BOS, EOS, PAD, UNK
from npformer.text.sentencepiece import SPACE
from npformer.utils import import_optional, save_tensors
from npformer.utils.files import make_folder, write_atomic


def write_nn_transformer(translator: Translator, folder: Path) -> Path:
    """Write a state dict of nn.Transformer with its embeddings, and two lists of tokens.

    `save_nn_transformer` adds a note on the settings to the file. It is left out, as PyTorch writes
    none: whoever imports the model has to give the settings.
    """
    make_folder(folder)
    path = folder / "model.safetensors"
    save_nn_transformer(translator.model, path)
    save_file(load_file(path), path)  # the weights alone
    write_tokens(folder / "source.txt", translator.source.tokens)
    write_tokens(folder / "target.txt", translator.target.tokens)
    return path


def write_jadore(translator: Translator, folder: Path) -> Path:
    """Write a state dict of jadore801120's Transformer, and its tokens.

    Its logits are divided by sqrt(d_model), so its embedding matrix is larger by this factor.
    """
    make_folder(folder)
    path = folder / "model.safetensors"
    model = translator.model
    config = model.config
    tokens = translator.source.tokens
    found = in_their_names(model.state_dict(), jadore.TABLE, jadore.STEM)

    order = [UNK, PAD, BOS, EOS, *range(4, len(tokens))]  # torchtext's
    table = model.generator.table.data[order] * np.float32(math.sqrt(config.d_model))
    found[jadore.SOURCE] = table
    found[jadore.TARGET] = table
    found[jadore.GENERATOR] = table

    # both stacks have a LayerNorm after the embeddings, and the sinusoids in a buffer
    waves = sinusoids(config.max_len, config.d_model).astype("float32")[None]  # (1, max_len, D)
    for stack in jadore.TABLE:
        norm = getattr(model, stack).input_embedding.norm
        found[f"{stack}.layer_norm.weight"] = norm.gain.data
        found[f"{stack}.layer_norm.bias"] = norm.bias.data
        found[f"{stack}.position_enc.pos_table"] = waves

    save_tensors(path, found)
    write_tokens(folder / "tokens.txt", ["<unk>", "<blank>", "<s>", "</s>", *tokens[4:]])
    return path


def write_marian(translator: Translator, folder: Path) -> Path:
    """Write a folder as MarianMTModel does: </s> is first and <pad> last, and there is no <bos>.

    Raises `MissingExtraError` without the library sentencepiece.
    """
    make_folder(folder)
    model = translator.model
    words = translator.source.tokens[4:]
    write_atomic(folder / "source.spm", word_pieces(words))
    write_atomic(folder / "target.spm", word_pieces(words))

    # the ids of ours in the order of theirs; 0 to 3 are special tokens
    order = [EOS, UNK, *range(4, 4 + len(words)), PAD]
    weights = model.state_dict()
    found = in_their_names(weights, marian.TABLE, marian.STEM)
    found[marian.SHARED] = model.generator.table.data[order]
    found["final_logits_bias"] = weights["generator.bias"][order][None]  # (1, V)
    save_tensors(folder / "model.safetensors", found)

    pieces = [SPACE + word for word in words]
    tokens = ["</s>", "<unk>", *pieces, "<pad>"]
    ids = {token: i for i, token in enumerate(tokens)}
    write_atomic(folder / "vocab.json", json.dumps(ids, ensure_ascii=False))

    settings = marian_settings(model.config, vocab_size=len(tokens))
    write_atomic(folder / "config.json", json.dumps(settings, indent=2))
    return folder


def marian_settings(config: TransformerConfig, *, vocab_size: int) -> dict[str, Any]:
    """Return what a config.json of Marian says of a model."""
    pad_id = vocab_size - 1  # targets begin with it
    return {
        "model_type": "marian",
        "activation_function": "swish",
        "scale_embedding": True,
        "d_model": config.d_model,
        "max_position_embeddings": config.max_len,
        "vocab_size": vocab_size,
        "eos_token_id": 0,
        "pad_token_id": pad_id,
        "decoder_start_token_id": pad_id,
        "encoder_layers": config.n_encoder_layers,
        "encoder_attention_heads": config.n_heads,
        "encoder_ffn_dim": config.d_ff,
        "decoder_layers": config.n_decoder_layers,
        "decoder_attention_heads": config.n_heads,
        "decoder_ffn_dim": config.d_ff,
    }


def in_their_names(weights: dict[str, np.ndarray], table: dict, stem: str) -> dict[str, np.ndarray]:
    """Return the weights of the layers under the names of the importer's table."""
    found = {}
    for theirs, [ours] in layer_names(table, weights, stem).items():
        if ours in weights:
            found[theirs] = weights[ours].T
    return found


def word_pieces(words: Iterable[str]) -> bytes:
    """Return a model of SentencePieces whose pieces are whole words."""
    trainer = import_optional("sentencepiece", "npformer[marian]").SentencePieceTrainer
    out = io.BytesIO()
    trainer.train(
        sentence_iterator=iter(words),
        model_writer=out,
        model_type="word",
        vocab_size=1000,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=1,
    )
    return out.getvalue()


def write_tokens(path: Path, tokens: Iterable[str]) -> None:
    """Write tokens, one per line, in the order of their ids."""
    write_atomic(path, "".join(f"{token}\n" for token in tokens))
