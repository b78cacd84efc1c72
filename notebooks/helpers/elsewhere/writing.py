"""Models written as their own programs would: other names, other orders of tokens, matrices the other way round.

Each function takes a model of `trained` and a folder, and returns what the importer is to be given.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from npformer.interop import jadore, marian, save_nn_transformer
from npformer.interop.convert_weights import layer_names
from npformer.layers.positional_encoding import sinusoids
from npformer.tasks import Translator
from npformer.text import BOS, EOS, PAD, UNK
from npformer.text.sentencepiece import SPACE
from npformer.utils import import_optional, save_tensors
from npformer.utils.files import make_folder, write_atomic


def write_nn_transformer(translator: Translator, folder: Path) -> Path:
    """Write a state dict of nn.Transformer, with tables and generator, and two lists of tokens.

    The note of `save_nn_transformer` is left out, as PyTorch writes none: what it says is for the reader to say.
    """
    make_folder(folder)
    save_nn_transformer(translator.model, folder / "model.safetensors")
    save_file(load_file(folder / "model.safetensors"), folder / "model.safetensors")
    for side in ("source", "target"):
        write_tokens(folder / f"{side}.txt", getattr(translator, side).tokens)
    return folder / "model.safetensors"


def write_jadore(translator: Translator, folder: Path) -> Path:
    """Write a state dict of jadore801120's Transformer, whose logits are divided by sqrt(d_model), and its tokens."""
    make_folder(folder)
    model, tokens = translator.model, translator.source.tokens
    order = [UNK, PAD, BOS, EOS, *range(4, len(tokens))]  # torchtext's
    found = in_their_names(model.state_dict(), jadore.TABLE, jadore.STEM)
    table = model.generator.table.data[order] * np.float32(math.sqrt(model.config.d_model))
    found |= dict.fromkeys([jadore.SOURCE, jadore.TARGET, jadore.GENERATOR], table)
    waves = sinusoids(model.config.max_len, model.config.d_model).astype("float32")[None]  # (1, max_len, D)
    for column in jadore.TABLE:
        norm = getattr(model, column).input_embedding.norm
        found |= {f"{column}.layer_norm.weight": norm.gain.data, f"{column}.layer_norm.bias": norm.bias.data}
        found[f"{column}.position_enc.pos_table"] = waves
    save_tensors(folder / "model.safetensors", found)
    write_tokens(folder / "tokens.txt", ["<unk>", "<blank>", "<s>", "</s>", *tokens[4:]])
    return folder / "model.safetensors"


def write_marian(translator: Translator, folder: Path) -> Path:
    """Write a folder as MarianMTModel does: </s> is first and <pad> last, and there is no <bos>.

    Raises `MissingExtraError` without the library sentencepiece.
    """
    make_folder(folder)
    model, config, words = translator.model, translator.model.config, translator.source.tokens[4:]
    for side in ("source", "target"):
        write_atomic(folder / f"{side}.spm", word_pieces(words))
    order = [EOS, UNK, *range(4, 4 + len(words)), PAD]
    found = in_their_names(model.state_dict(), marian.TABLE, marian.STEM)
    found[marian.SHARED] = model.generator.table.data[order]
    found["final_logits_bias"] = model.generator.bias.data[order][None]  # (1, V)
    save_tensors(folder / "model.safetensors", found)
    ids = {token: i for i, token in enumerate(["</s>", "<unk>", *(SPACE + word for word in words), "<pad>"])}
    write_atomic(folder / "vocab.json", json.dumps(ids, ensure_ascii=False))
    settings = {"model_type": "marian", "activation_function": "swish", "scale_embedding": True}
    settings |= {"d_model": config.d_model, "max_position_embeddings": config.max_len, "vocab_size": len(order)}
    settings |= {"eos_token_id": 0, "pad_token_id": len(order) - 1, "decoder_start_token_id": len(order) - 1}
    for column, n_layers in (("encoder", config.n_encoder_layers), ("decoder", config.n_decoder_layers)):
        sizes = {"layers": n_layers, "attention_heads": config.n_heads, "ffn_dim": config.d_ff}
        settings |= {f"{column}_{what}": size for what, size in sizes.items()}
    write_atomic(folder / "config.json", json.dumps(settings, indent=2))
    return folder


def in_their_names(weights: dict[str, np.ndarray], table: dict, stem: str) -> dict[str, np.ndarray]:
    """Return the weights of the layers under the names of the importer's table."""
    names = layer_names(table, weights, stem)
    return {theirs: weights[ours].T for theirs, [ours] in names.items() if ours in weights}


def word_pieces(words: Iterable[str]) -> bytes:
    """Return a model of SentencePieces whose pieces are whole words."""
    trainer, out = import_optional("sentencepiece", "npformer[marian]").SentencePieceTrainer, io.BytesIO()
    how = {"model_type": "word", "vocab_size": 1000, "hard_vocab_limit": False, "minloglevel": 2, "num_threads": 1}
    trainer.train(sentence_iterator=iter(words), model_writer=out, **how)
    return out.getvalue()


def write_tokens(path: Path, tokens: Iterable[str]) -> None:
    """Write tokens, one a line in the order of their ids."""
    write_atomic(path, "".join(f"{token}\n" for token in tokens))
