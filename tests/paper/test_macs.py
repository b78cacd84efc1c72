"""The multiplications that are counted from config and shape are those that NumPy is asked for, to the last one."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from npformer.layers.packing import Packing

from npformer.models import (
    Classifier,
    ClassifierConfig,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)
from npformer.paper.macs import PAPER_FLOPS, Cost, cost_in_words, costs_of, multiplications
from npformer.tasks import Batches, ClassificationBatch, Objective, TextChunks

B, S, T = 3, 7, 5
SIZES = {"d_model": 6, "d_ff": 10, "n_heads": 2, "max_len": 12, "dtype": "float64"}
EACH_WIDTH = [{}, {"d_word_vec": 4}, {"d_word_vec": 9}, {"d_k": 5, "d_v": 2, "norm": "pre", "attention_bias": False}]
EACH_WIDTH += [{"recompute": True, "d_word_vec": 4}]
EACH_WIDTH += [{"d_word_vec": 4, "embedding_norm": True, "final_norm": True, "activation": "silu"}]
every_width = pytest.mark.parametrize("settings", EACH_WIDTH, ids=str)


class Counted(np.ndarray):
    """An array that counts the multiplications of all products of matrices it takes part in, and so do its offspring.

    A product with a vector is a sum written as a product, and not counted.
    """

    counted = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if ufunc is np.matmul and min(np.ndim(x) for x in inputs) > 1:
            one, other = map(np.shape, inputs)
            Counted.counted += math.prod(np.broadcast_shapes(one[:-2], other[:-2])) * one[-2] * one[-1] * other[-1]
        plain = [np.asarray(x) for x in inputs]
        out = kwargs.get("out")
        if out:
            kwargs["out"] = tuple(np.asarray(x) for x in out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        if out:
            return out[0].view(Counted)
        return result.view(Counted) if isinstance(result, np.ndarray) else result


def counted(work, *inputs):
    Counted.counted = 0
    y = work(*inputs)
    return Counted.counted, y


def measured(model, work, *inputs):
    """Count what one forward, which is `work`, and one backward multiply."""
    for parameter in model.parameters():
        parameter.lie_in(None, parameter.data.copy().view(Counted), parameter.grad.copy())
    unpack = Packing.unpack
    with pytest.MonkeyPatch.context() as patch:  # what zeros are multiplied with counts too
        patch.setattr(Packing, "unpack", lambda self, x: unpack(self, x).view(type(x)))
        forward, logits = counted(work, *inputs)
        backward, _ = counted(model.backward, np.ones(logits.shape).view(Counted))
    return Cost(forward, backward)


def ids(length):
    """Return texts of full length, of two tokens and of one less than full."""
    drawn = np.random.default_rng(0).integers(1, 11, (B, length))
    drawn[1, 2:] = drawn[2, -1:] = 0
    return drawn


def check(model, *texts):
    """Compare for a model by itself, which computes padding, and in training, where texts are packed."""
    shape, tokens = (B, *(text.shape[1] for text in texts)), tuple(int((text != 0).sum()) for text in texts)
    assert multiplications(model.config, shape) == measured(model, model.forward, *texts)
    packed = multiplications(model.config, shape, tokens)
    assert packed == measured(model, Objective(model).logits_of, SimpleNamespace(inputs=texts))
    return packed


@every_width
@pytest.mark.parametrize("tie", ["all", "target", "none"])
def test_of_a_transformer(settings, tie):
    vocabularies = {"src_vocab_size": 13, "tgt_vocab_size": 13 if tie == "all" else 11}
    layers = {"n_encoder_layers": 3, "n_decoder_layers": 2}
    config = TransformerConfig(**{**SIZES, **vocabularies, **layers, **settings, "tie": tie})
    check(Transformer(config, rng=0), ids(S), ids(T))


@every_width
@pytest.mark.parametrize("tie", ["all", "none"])
def test_of_a_language_model(settings, tie):
    config = LanguageModelConfig(**{**SIZES, "vocab_size": 13, "n_decoder_layers": 2, **settings, "tie": tie})
    check(LanguageModel(config, rng=0), ids(T))


@every_width
@pytest.mark.parametrize("pooling", ["mean", "first", "max"])
def test_of_a_classifier(settings, pooling):
    sizes = {**SIZES, "vocab_size": 13, "n_classes": 3, "n_encoder_layers": 2}
    config = ClassifierConfig(**{**sizes, **settings, "pooling": pooling})
    check(Classifier(config, rng=0), ids(S))


@pytest.mark.parametrize("neighbours", [4, 99])
def test_restricted_attention_scores_its_neighbours_but_no_more_than_there_are(neighbours):
    """Beside full attention it spares the products of equation 1 with the keys that it does not see."""
    full, restricted = (
        LanguageModelConfig(**SIZES, vocab_size=13, n_decoder_layers=2, neighbours=n) for n in (None, neighbours)
    )
    unseen = 12 - min(neighbours + 1, 12)
    spared = multiplications(full, (B, 12)).forward - multiplications(restricted, (B, 12)).forward
    assert spared == B * 2 * 12 * unseen * 2 * 6  # layers, queries, keys, scores and weighted sums, d_model


def test_readers_that_go_along_a_text_compute_its_padding_in_training_too():
    sizes = {**SIZES, "vocab_size": 13, "n_classes": 3, "d_word_vec": 4}
    for reader in ("lstm", "convolution"):
        config = ClassifierConfig(**sizes, reader=reader)
        assert multiplications(config, (B, S), (9,)) == multiplications(config, (B, S))


@pytest.mark.parametrize("kind", ["pairs", "texts", "running text"])
def test_an_epoch_costs_what_its_batches_do(kind):
    """Each text has one token more than was given, <bos> or <eos>."""
    texts = [[4] * n for n in (1, 3, 3, 9, 5)]
    if kind == "pairs":
        config = TransformerConfig.tiny(src_vocab_size=12, tgt_vocab_size=12)
        cut = Batches(list(zip(texts, texts[::-1], strict=True)), batch_tokens=20).epoch(1)
    elif kind == "texts":
        config = ClassifierConfig(**SIZES, vocab_size=12, n_classes=2)
        cut = Batches([(text, 1) for text in texts], batch_tokens=20, kind=ClassificationBatch).epoch(1)
    else:
        config = LanguageModelConfig(**SIZES, vocab_size=13)
        cut = TextChunks([4] * 30, length=4, batch_tokens=12).epoch(1)
    inputs = [batch.inputs for batch in cut]
    shapes = [(len(sides[0]), *(side.shape[1] for side in sides)) for sides in inputs]
    tokens = [tuple(int((side != 0).sum()) for side in sides) for sides in inputs]
    expected = [multiplications(config, *sizes).total for sizes in zip(shapes, tokens, strict=True)]
    assert costs_of(config, cut) == expected and len(set(expected)) > 1
    assert costs_of(config, cut, 1) == expected[:1] and costs_of(config, cut, 0) == []
    assert sum(expected) < sum(multiplications(config, shape).total for shape in shapes)


def test_the_papers_base_model_used_a_third_of_what_its_machines_could_do():
    """100,000 updates of 25,000 tokens a side; table 2 multiplies time with what eight GPUs could do at most."""
    config = TransformerConfig.base(src_vocab_size=37_000, tgt_vocab_size=37_000)
    flops = 2 * multiplications(config, (1000, 25, 25)).total * 100_000
    assert 0.25 < flops / PAPER_FLOPS["base"] < 0.35


def test_the_cost_in_words_counts_a_multiply_add_twice_and_calls_the_papers_what_they_are():
    own, papers = cost_in_words(6_000_000_000_000).split("\n")
    assert own.startswith("6.0e+12 multiply-adds") and own.endswith(": 1.2e+13 FLOPs")
    assert "3.3e+18 for the base model and 2.3e+19 for the big one: not counted" in papers
