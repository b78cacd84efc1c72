"""What the backend does beside choosing a library: probabilities, random masks, chunks."""

import numpy as np
import pytest

from npformer.backend import (
    DROP_LEVELS,
    cache_chunks,
    drawable_probability,
    dropout_mask,
    to_device,
)


@pytest.mark.parametrize(
    ("p", "level"), [(0, 0), (0.1, 6554), (0.25, 16384), (1 - 1e-9, 65535), (1e-9, 0)]
)
def test_probability_is_rounded_to_what_can_be_drawn(p, level):
    assert drawable_probability(p) == level / 65536


@pytest.mark.parametrize("level", [1, DROP_LEVELS - 1])
def test_rarest_of_a_mask_is_as_rare_as_asked(level):
    n = 2_000_003
    mask = dropout_mask(np.random.default_rng(0), (n,), level / DROP_LEVELS)
    rare = (~mask if level == 1 else mask).sum()
    assert abs(rare - n / DROP_LEVELS) < 3 * (n / DROP_LEVELS) ** 0.5


def test_only_rows_of_different_lengths_have_an_error_of_their_own():
    class Odd:
        def __array__(self, *args, **kwargs):
            raise ValueError("odd")

    with pytest.raises(ValueError, match=r"^odd$"):
        to_device(Odd())


def test_array_on_a_device_is_one_chunk(stand_in):
    assert cache_chunks(100_000) == [slice(0, 100_000)]
    assert cache_chunks(0) == []
