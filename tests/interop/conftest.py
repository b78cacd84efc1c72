"""A state dict such as a PyTorch module's, the vocabularies next to it, and what imports both."""

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import npformer as npf
from npformer.interop import marian, save_nn_transformer
from npformer.text import Vocabulary
from tests.small_models import disturb

SOURCE = ["<pad>", "<unk>", "<s>", "</s>", *"abcdefgh"]
TARGET = ["<s>", "A", "</s>", *"BCD", "<unk>", *"EFGH", "<pad>"]
SAID = {"n_heads": 2, "embedding_scale": "sqrt"}


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def without_sentencepiece(monkeypatch):
    """Cut text into words, so that the library sentencepiece is not needed."""
    monkeypatch.setattr(marian, "SentencePieceVocabulary", lambda tokens, spm: Vocabulary(tokens))


@pytest.fixture
def their_arrays(make_model, tmp_path):
    """Arrays under the names of `npformer export`, with three tables, learned positions and a
    generator's bias.
    """

    def make(**settings):
        how = {
            "tie_embeddings": "none",
            "positions": "learned",
            "generator_bias": True,
            "final_norm": True,
            "n_decoder_layers": 2,
        }
        model = make_model(**{**how, **settings})
        rng = np.random.default_rng(5)
        disturb(model, rng)
        save_nn_transformer(model, tmp_path / "exported.safetensors")
        return load_file(tmp_path / "exported.safetensors")

    return make


@pytest.fixture
def vocabularies(tmp_path):
    """The two files of tokens, as options."""
    files = {}
    for side, tokens in (("source", SOURCE), ("target", TARGET)):
        files[f"{side}_vocabulary"] = str(tmp_path / f"{side}.txt")
        (tmp_path / f"{side}.txt").write_text("".join(f"{token}\n" for token in tokens))
    return files


@pytest.fixture
def write_tokens(tmp_path):
    """Write a vocabulary of one's own, a token per line, and return the file's name."""

    def write(tokens):
        (tmp_path / "own.txt").write_text("".join(f"{token}\n" for token in tokens))
        return str(tmp_path / "own.txt")

    return write


@pytest.fixture
def imported(tmp_path, vocabularies):
    """Write arrays into a safetensors file, import it, and return the Translator; an option of
    None is left out.
    """

    def run(arrays, **options):
        path = tmp_path / "model.safetensors"
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, path)
        said = {**SAID, **vocabularies, **options}
        return npf.interop.load(
            path, **{name: value for name, value in said.items() if value is not None}
        )

    return run


@pytest.fixture
def refused_import(imported):
    """Import arrays, and return the one line that says why that is not possible."""

    def run(arrays, **options):
        with pytest.raises(npf.InputError) as caught:
            imported(arrays, **options)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return run
