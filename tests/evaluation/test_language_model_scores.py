"""Perplexity and bits a character, against what can be worked out by hand."""

import math
import unicodedata

import numpy as np
import pytest

from npformer import InputError
from npformer.evaluation.language_modeling import LanguageModelScores, perplexity
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import TextGenerator, evaluate
from npformer.text import IdVocabulary, Vocabulary

TEXT = "ab ba\nabba"


def make_writer(*, tokenizer="character", uniform=False, seed=0, **settings):
    vocabulary = Vocabulary.build([TEXT], tokenizer=tokenizer, running=True)
    sizes = dict(d_model=8, d_ff=8, n_heads=2, n_decoder_layers=1, max_len=4, tie_embeddings="none")
    config = LanguageModelConfig(
        vocab_size=len(vocabulary), **{**sizes, "dtype": "float64", **settings}
    )
    model = LanguageModel(config, rng=seed)
    for p in model.parameters():
        p.data += np.random.default_rng(seed).normal(0, 0.5, p.data.shape)
    if uniform:
        model.generator.table.data[...] = 0
    return TextGenerator(model, vocabulary)


@pytest.mark.parametrize("max_len", [1, 3, 4, 50])
def test_uniform_model_has_perplexity_of_vocabulary_size(max_len):
    found = evaluate(make_writer(uniform=True, max_len=max_len), [TEXT])
    assert (found.tokens, found.characters) == (9, 9)
    assert found.perplexity == pytest.approx(8)  # a, b, space, line end and the four special ones
    assert found.bits_per_character == pytest.approx(3)


def test_bits_per_character_count_letters_and_spaces_of_words():
    """Words "ab", "ba" and "abba" among 7 tokens; two are predicted, which stand for 8 characters
    of 10.
    """
    found = evaluate(make_writer(tokenizer="word", uniform=True), [TEXT])
    assert (found.tokens, found.characters) == (2, 8)
    assert found.perplexity == pytest.approx(7)
    assert found.bits_per_character == pytest.approx(2 * math.log2(7) / 8)


def test_white_space_between_words_counts_as_one_space():
    """It is not predicted, and would make the bits fewer."""
    writer = make_writer(tokenizer="word", uniform=True)
    spaced = evaluate(writer, [TEXT.replace(" ", " \n  ") + "\n"])
    assert spaced == evaluate(writer, [TEXT])

    ids = IdVocabulary(16)
    config = LanguageModelConfig(
        vocab_size=16, d_model=8, d_ff=8, n_heads=2, n_decoder_layers=1, max_len=8, pad_id=None
    )
    reader = TextGenerator(LanguageModel(config, rng=0), ids)
    assert evaluate(reader, ["7  8   9\n"]) == evaluate(reader, ["7 8 9"])


def test_end_of_a_document_is_predicted_too():
    """Of "ab" all but the first letter, <eos>, and "ba"."""
    found = evaluate(make_writer(uniform=True), ["ab", "ba"])
    assert (found.tokens, found.characters) == (4, 3)
    with pytest.raises(InputError, match="'abba' is one text: expected several documents"):
        evaluate(make_writer(), "abba")


def test_a_first_document_can_be_empty():
    """Its <eos> is read, and then both letters of "ab" are predicted."""
    found = evaluate(make_writer(uniform=True), ["", "ab"])
    assert (found.tokens, found.characters) == (2, 2)


@pytest.mark.parametrize(
    "text", ["zbbaab", "ae\u0301be\u0301a"], ids=["unknown first", "not composed"]
)
def test_characters_are_counted_as_encoded(text):
    """An unknown one is one, and a letter with its accent too."""
    found = evaluate(make_writer(), [text])
    assert found.characters == found.tokens == len(unicodedata.normalize("NFC", text)) - 1


@pytest.mark.parametrize(
    ("tokenizer", "text", "unknown", "tokens"),
    [
        ("character", "abxba yz", 3, 7),
        ("character", "zab", 0, 2),  # the first token is not predicted
        ("word", "ab <unk> ba abc", 2, 3),
    ],
)
def test_text_with_unknown_tokens_has_no_bits(tokenizer, text, unknown, tokens):
    """A model that predicts nothing but <unk> has a small loss, and codes no text."""
    found = evaluate(make_writer(tokenizer=tokenizer), [text])
    assert (found.unknown, found.tokens) == (unknown, tokens)
    assert found.perplexity == pytest.approx(math.exp(found.loss))
    bits = found.table().splitlines()[-1]
    if unknown:
        assert math.isnan(found.bits_per_character)
        share = f"{100 * unknown / tokens:.1f}%"
        assert bits == (
            f"bits          none: {unknown} of {tokens} tokens ({share}) are unknown, read as <unk>"
        )
    else:
        assert bits == f"bits          {found.bits_per_character:.4f}  per character"


@pytest.mark.parametrize("batch_tokens", [1, 8, 4096])
def test_loss_is_mean_over_tokens_in_their_chunks(batch_tokens):
    writer = make_writer(dropout=0.5)
    ids, losses = writer.text.encode(TEXT), []
    for first in range(0, len(ids) - 1, 4):
        chunk = ids[first : first + 5]
        with writer.model.evaluating():
            [logits] = writer.model.forward(np.array([chunk[:-1]]))
        p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
        losses += [-math.log(row[token]) for row, token in zip(p, chunk[1:], strict=True)]
    found = evaluate(writer, [TEXT], batch_tokens=batch_tokens)
    assert found.loss == pytest.approx(sum(losses) / 9)
    assert found.perplexity == pytest.approx(math.exp(found.loss))


def test_batch_tokens_limits_batch_size(monkeypatch):
    """Of nine tokens to predict chunks of four; in batches of eight there are two of them."""
    shapes, usual = [], LanguageModel.forward

    def forward(self, ids, **how):
        shapes.append(ids.shape)
        return usual(self, ids, **how)

    monkeypatch.setattr(LanguageModel, "forward", forward)
    for batch_tokens, rows in ((4, 1), (8, 2)):
        shapes.clear()
        evaluate(make_writer(), [TEXT], batch_tokens=batch_tokens)
        assert max(n for n, _ in shapes) == rows


def test_table_of_scores():
    found = LanguageModelScores(tokens=1200, characters=3000, unknown=0, loss=0.5)
    lines = [
        "text          1,200 tokens to predict, 3,000 characters",
        "loss          0.5000  nats per token, perplexity 1.649",
        "bits          0.2885  per character",  # 0.5 / log(2) * 1200 / 3000
    ]
    assert found.table().splitlines() == lines
    assert found.examples(3) == ""
    lines[2] = "bits          none: 1,002 of 1,200 tokens (83.5%) are unknown, read as <unk>"
    assert found._replace(unknown=1002).table().splitlines() == lines
    # a token may have no character of its own
    assert LanguageModelScores(1, 0, 0, math.log(2)).bits_per_character == 1


@pytest.mark.parametrize("loss", [699.0, 700.0, 709.9, 1e9])
def test_perplexity_does_not_overflow(loss):
    assert perplexity(loss) == (math.exp(loss) if loss < 700 else math.inf)
    assert math.isnan(perplexity(math.nan))
