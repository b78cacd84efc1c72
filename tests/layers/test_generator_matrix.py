"""The generator's table laid out for few positions: in as many cache_chunks as it needs, and what is scored by it."""

import numpy as np
import pytest

from npformer.backend import cache_chunks
from npformer.layers import Generator
from npformer.models import LanguageModel, LanguageModelConfig


@pytest.mark.parametrize(("vocab_size", "n_stretches"), [(7, 1), (512, 1), (513, 2), (1100, 3)])
def test_it_is_the_table_turned_and_laid_out_row_by_row(vocab_size, n_stretches):
    assert len(cache_chunks(vocab_size, 256)) == n_stretches
    generator = Generator(vocab_size, 256, rng=0)
    matrix = generator.matrix()
    np.testing.assert_array_equal(matrix, generator.table.data.T)
    assert matrix.flags.c_contiguous and matrix.dtype == generator.table.data.dtype
    assert not np.shares_memory(matrix, generator.table.data)


def mapped(**settings):
    config = LanguageModelConfig(vocab_size=7, d_model=6, n_heads=2, d_word_vec=4, dtype="float64", **settings)
    return LanguageModel(config, rng=0).generator


@pytest.mark.parametrize(
    "generator", [Generator(7, 6, bias=True, rng=0, dtype="float64"), mapped(generator_bias=True)], ids=type
)
def test_the_logits_are_those_of_the_matrix_that_was_given(generator):
    """The copy does not follow the table, of which backward is."""
    rng = np.random.default_rng(1)
    generator.bias.data += rng.normal(size=7)
    x, copy = rng.normal(size=(2, 3, 6)), generator.matrix()
    before = generator.forward(x)
    np.testing.assert_allclose(generator.forward(x, copy), before, rtol=1e-14)
    np.testing.assert_allclose(
        generator.forward(x, 2 * copy) - generator.bias.data, 2 * (before - generator.bias.data), rtol=1e-12
    )
    generator.table.data *= 3
    np.testing.assert_allclose(generator.forward(x, copy), before, rtol=1e-14)
    dx = generator.backward(np.ones((2, 3, 7)))
    generator.forward(x)
    np.testing.assert_array_equal(generator.backward(np.ones((2, 3, 7))), dx)
