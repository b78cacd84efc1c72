"""How many workers there may be."""

import pytest

from npformer import InputError
from npformer.backend import check_workers


@pytest.mark.parametrize("n", [0, -1])
def test_less_than_one_is_refused(n):
    with pytest.raises(InputError, match=f"workers = {n}: expected a whole number, 1 or more, and 1 on a GPU"):
        check_workers(n)
    check_workers(1), check_workers(99)
