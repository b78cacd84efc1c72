"""The one line that says why a data set cannot be loaded."""

import pytest

from npformer import InputError


def refusal(data, *parts):
    with pytest.raises(InputError) as caught:
        data.load(*parts or ["train", "held_out"])
    assert "\n" not in str(caught.value)
    return str(caught.value)
