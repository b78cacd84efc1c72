"""What several tests of the data sets share."""

import pytest

from npformer.datasets import phrasebook


@pytest.fixture(scope="session")
def parts():
    return phrasebook.split()


@pytest.fixture(scope="session")
def drawn(parts):
    return parts[0] + parts[1]
