"""A table that two layers share must be one Parameter of the right size."""

import numpy as np
import pytest

from npformer import InputError, Parameter
from npformer.layers import Embedding, Generator

both = pytest.mark.parametrize("kind", [Embedding, Generator])


@both
@pytest.mark.parametrize("shape", [(10, 5), (9, 4), (4, 10), (10,), (1, 10, 4)])
def test_shared_table_with_wrong_shape_is_rejected(kind, shape):
    with pytest.raises(
        InputError, match=r"got a table of shape .*: expected a Parameter of shape \(10, 4\)"
    ) as caught:
        kind(10, 4, table=Parameter(np.zeros(shape)))
    assert "\n" not in str(caught.value)


@both
def test_shared_table_that_is_not_a_parameter_is_rejected(kind):
    with pytest.raises(InputError, match="got a table of type ndarray: expected a Parameter"):
        kind(10, 4, table=np.zeros((10, 4)))


@both
def test_matching_table_is_shared(kind):
    table = Parameter(np.zeros((10, 4)))
    assert kind(10, 4, table=table).table is table
