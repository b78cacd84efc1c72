"""A module with an nn.Transformer, imported from its state dict, computes what it does in
PyTorch.
"""

import numpy as np
import pytest

import npformer as npf
from helpers.elsewhere import pytorch_logits as stored

from .their_translator import SOURCE, SPECIALS, TARGET, TheirTranslator, their_tokens
from .weights import torch

OPTIONS = {"tokenizer": "character", "n_heads": 4, "embedding_scale": "sqrt"}
CASES = {  # what the module is built with, and the options besides OPTIONS
    "as PyTorch has it": ({}, {}),
    "pre, gelu, tied": (
        {"norm_first": True, "activation": "gelu", "tie_embeddings": "all"},
        {"norm": "pre", "activation": "gelu"},
    ),
    "silu": (
        {"activation": torch.nn.functional.silu, "tie_embeddings": "target"},
        {"activation": "silu"},
    ),
    "another eps": ({"layer_norm_eps": 0.1, "batch_first": False}, {"layer_norm_eps": 0.1}),
    "embeddings as they are": ({"scale": "1", "generator_bias": False}, {"embedding_scale": "1"}),
    "sinusoids in a buffer": ({"positions": "buffer"}, {}),
    "sinusoids that are not there": ({"positions": "none"}, {}),
}


@pytest.fixture
def imported(tmp_path):
    """Build a module, save its state dict, import it, and return both and the ids that they have
    of tokens.
    """

    def make(built, said, *, dtype=torch.float32, file="model.pt"):
        torch.manual_seed(3)
        theirs = TheirTranslator(**built, dtype=dtype)
        words = {
            "source": TARGET if built.get("tie_embeddings") == "all" else SOURCE,
            "target": TARGET,
        }
        for side, known in words.items():
            (tmp_path / f"{side}.txt").write_text(
                "".join(f"{token}\n" for token in their_tokens(known))
            )
        files = {f"{side}_vocabulary": str(tmp_path / f"{side}.txt") for side in words}
        torch.save(theirs.state_dict(), tmp_path / file)
        return theirs, npf.interop.load(tmp_path / file, **OPTIONS | files | said)

    return make


def their_ids(vocabulary, words):
    """Return their id of each of our ids."""
    theirs, names = (
        their_tokens(words),
        dict(zip(["<pad>", "<unk>", "<bos>", "<eos>"], SPECIALS, strict=True)),
    )
    return np.array([theirs.index(names.get(token, token)) for token in vocabulary.tokens])


def draw(translator, rng):
    """Draw padded sources and targets, in our ids: one full, one a single token, and some
    between.
    """
    sides = []
    for vocabulary, first, last in ((translator.source, (), (3,)), (translator.target, (2,), ())):
        lengths = [9, 1, 4, 6]
        drawn = [[*first, *rng.integers(4, len(vocabulary), n), *last] for n in lengths]
        sides.append(np.array([ids + [0] * (10 - len(ids)) for ids in drawn]))
    return sides


@pytest.mark.parametrize(("built", "said"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_logits_of_an_imported_model(agree, imported, rng, built, said, dtype):
    theirs, translator = imported(built, said, dtype=dtype)
    assert translator.model.config.dtype == str(dtype).removeprefix("torch.")
    src, tgt = draw(translator, rng)
    words = TARGET if built.get("tie_embeddings") == "all" else SOURCE
    to_source, to_target = their_ids(translator.source, words), their_ids(translator.target, TARGET)
    with torch.no_grad():
        expected = theirs(torch.tensor(to_source[src]), torch.tensor(to_target[tgt]))[
            ..., to_target
        ]
    found = translator.model.forward(src, tgt)
    real = tgt != 0
    agree(
        "logits",
        found[real],
        expected[torch.tensor(real)],
        tolerance=1e-4 if dtype is torch.float32 else 1e-10,
    )


def test_module_without_biases_is_rejected(imported):
    with pytest.raises(
        npf.InputError, match=r"these weights lack encoder.layers.0.self_attn.in_proj_bias"
    ):
        imported({"bias": False}, {})


def test_logits_in_notebook_14a(agree, tmp_path):
    agree(
        "logits", stored.LOGITS, stored.by_pytorch(stored.write_formula(tmp_path)), tolerance=1e-5
    )
