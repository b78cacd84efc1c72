"""The generator's table laid out for few positions, in as many stretches as its vocabulary needs."""

import numpy as np
import pytest

from npformer.base import stretches
from npformer.layers import Generator


@pytest.mark.parametrize(("vocab_size", "n_stretches"), [(7, 1), (512, 1), (513, 2), (1100, 3)])
def test_it_is_the_table_turned_and_laid_out_row_by_row(vocab_size, n_stretches):
    assert len(stretches(vocab_size, 256)) == n_stretches
    generator = Generator(vocab_size, 256, rng=0)
    matrix = generator.matrix()
    np.testing.assert_array_equal(matrix, generator.table.data.T)
    assert matrix.flags.c_contiguous and matrix.dtype == generator.table.data.dtype
    assert not np.shares_memory(matrix, generator.table.data)
