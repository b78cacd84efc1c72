"""The multiplications that are counted from config and shape are those that NumPy is asked for, to the last one."""

import math

import numpy as np
import pytest

from npformer.models import (
    Classifier,
    ClassifierConfig,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)
from npformer.models.cost import PAPER_FLOPS, Cost, cost_in_words, multiplications, total_cost

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


def measured(model, *ids):
    """Count what one forward and one backward multiply."""
    for parameter in model.parameters():
        parameter.lie_in(None, parameter.data.copy().view(Counted), parameter.grad.copy())
    forward, logits = counted(model.forward, *ids)
    backward, _ = counted(model.backward, np.ones(logits.shape).view(Counted))
    return Cost(forward, backward)


def ids(length):
    return np.random.default_rng(0).integers(1, 11, (B, length))


@every_width
@pytest.mark.parametrize("tie", ["all", "target", "none"])
def test_of_a_transformer(settings, tie):
    vocabularies = {"src_vocab_size": 13, "tgt_vocab_size": 13 if tie == "all" else 11}
    layers = {"n_encoder_layers": 3, "n_decoder_layers": 2}
    config = TransformerConfig(**{**SIZES, **vocabularies, **layers, **settings, "tie": tie})
    assert multiplications(config, (B, S, T)) == measured(Transformer(config, rng=0), ids(S), ids(T))


@every_width
@pytest.mark.parametrize("tie", ["all", "none"])
def test_of_a_language_model(settings, tie):
    config = LanguageModelConfig(**{**SIZES, "vocab_size": 13, "n_decoder_layers": 2, **settings, "tie": tie})
    assert multiplications(config, (B, T)) == measured(LanguageModel(config, rng=0), ids(T))


@every_width
@pytest.mark.parametrize("pooling", ["mean", "first", "max"])
def test_of_a_classifier(settings, pooling):
    sizes = {**SIZES, "vocab_size": 13, "n_classes": 3, "n_encoder_layers": 2}
    config = ClassifierConfig(**{**sizes, **settings, "pooling": pooling})
    assert multiplications(config, (B, S)) == measured(Classifier(config, rng=0), ids(S))


@pytest.mark.parametrize("neighbours", [4, 99])
def test_restricted_attention_scores_its_neighbours_but_no_more_than_there_are(neighbours):
    """Beside full attention it spares the products of equation 1 with the keys that it does not see."""
    full, restricted = (
        LanguageModelConfig(**SIZES, vocab_size=13, n_decoder_layers=2, neighbours=n) for n in (None, neighbours)
    )
    unseen = 12 - min(neighbours + 1, 12)
    spared = multiplications(full, (B, 12)).forward - multiplications(restricted, (B, 12)).forward
    assert spared == B * 2 * 12 * unseen * 2 * 6  # layers, queries, keys, scores and weighted sums, d_model


def test_padding_is_multiplied_and_counted():
    config = LanguageModelConfig(**SIZES, vocab_size=13, n_decoder_layers=2)
    padded = ids(T)
    padded[1:, 2:] = 0
    assert multiplications(config, (B, T)) == measured(LanguageModel(config, rng=0), padded)


def test_a_run_is_the_sum_of_its_batches():
    config = TransformerConfig.tiny(src_vocab_size=12, tgt_vocab_size=12)
    shapes = [(8, 5, 6), (4, 6, 5), (1, 1, 1)]
    assert total_cost(config, iter(shapes)) == sum(3 * multiplications(config, shape).forward for shape in shapes) > 0
    assert total_cost(config, []) == 0


def test_the_papers_base_model_used_a_third_of_what_its_machines_could_do():
    """100,000 updates of 25,000 tokens a side; table 2 multiplies time with what eight GPUs could do at most."""
    config = TransformerConfig.base(src_vocab_size=37_000, tgt_vocab_size=37_000)
    flops = 2 * multiplications(config, (1000, 25, 25)).total * 100_000
    assert 0.25 < flops / PAPER_FLOPS["base"] < 0.35


def test_the_cost_in_words_counts_a_multiply_add_twice_and_calls_the_papers_what_they_are():
    own, papers = cost_in_words(6_000_000_000_000).split("\n")
    assert own.startswith("6.0e+12 multiply-adds") and own.endswith(": 1.2e+13 FLOPs")
    assert "3.3e+18 for the base model and 2.3e+19 for the big one: not counted" in papers
