"""What several tests of the generators share."""

import pytest

from npformer.datasets.shipped import read_pairs


@pytest.fixture(scope="session")
def drawn():
    """All pairs of the phrasebook."""
    return read_pairs("phrasebook")
