"""Sizes and inputs on which a wrong gradient shows: all sizes differ, tokens repeat, and positions are hidden."""

import numpy as np

from ...models import ClassifierConfig, LanguageModelConfig, TransformerConfig

N_HEADS, BATCH, D_V, D_K, D_MODEL, T, S, D_FF, MAX_LEN, VOCAB, SRC_VOCAB = 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13
N_CLASSES = 14
PAD_ID = 0


def values(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw floats of order 1."""
    return rng.normal(size=shape)


def sentences(rng: np.random.Generator, length: int, vocab_size: int, shortest: int = 2) -> np.ndarray:
    """Draw ids (B, length): the first sentence full, the last `shortest` tokens long, then padding."""
    ids = rng.integers(1, vocab_size, (BATCH, length))
    ids[:, 1] = ids[:, 0]
    ids[1, length - 2 :] = PAD_ID
    ids[2, shortest:] = PAD_ID
    return ids


def holey_mask(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw a mask (..., T, S) that hides a third of the positions, and from one query all of them."""
    mask = rng.random(shape) > 1 / 3
    mask[..., 0, 0] = False
    mask[0, ..., 1, :] = False
    return mask


def column(dtype: str, **settings) -> dict:
    """Return settings of a column in which every size differs, changed by those given."""
    sizes = {"d_model": D_MODEL, "d_ff": D_FF, "n_heads": N_HEADS, "d_k": D_K, "d_v": D_V, "max_len": MAX_LEN}
    dropout = {"dropout": 0.25, "attention_dropout": 0.25}
    return {**sizes, **dropout, "pad_id": PAD_ID, "dtype": dtype, **settings}


def config(dtype: str, **settings) -> TransformerConfig:
    """Return the config of a small Transformer; one encoder layer, two decoder layers for the memory to feed."""
    layers = {"n_encoder_layers": 1, "n_decoder_layers": 2}
    vocabularies = {"src_vocab_size": VOCAB, "tgt_vocab_size": VOCAB}
    return TransformerConfig(**{**layers, **vocabularies, **column(dtype, **settings)})


def language_model_config(dtype: str, **settings) -> LanguageModelConfig:
    """Return the config of a small language model."""
    return LanguageModelConfig(**{"vocab_size": VOCAB, "n_decoder_layers": 2, **column(dtype, **settings)})


def classifier_config(dtype: str, **settings) -> ClassifierConfig:
    """Return the config of a small classifier."""
    sizes = {"vocab_size": VOCAB, "n_classes": N_CLASSES, "n_encoder_layers": 2}
    return ClassifierConfig(**{**sizes, **column(dtype, **settings)})
