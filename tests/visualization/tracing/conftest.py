import pytest

import npformer as npf
from tests.visualization.tracing.one_step import train_step


@pytest.fixture
def model(make_model):
    return make_model(n_decoder_layers=2, dropout=0.25, attention_dropout=0.25)


@pytest.fixture
def traced(model):
    """The trace of one training step."""
    with npf.trace(model) as t:
        train_step(model)
    return t
