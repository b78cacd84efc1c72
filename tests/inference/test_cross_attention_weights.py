import numpy as np
import pytest

from npformer import InputError
from npformer.inference import cross_attention_weights

SRC = np.array([[4, 5, 6, 3], [7, 3, 0, 0]])
TGT = np.array([[2, 8, 9], [2, 8, 0]])


@pytest.fixture
def model(make_model):
    return make_model(n_decoder_layers=2, dropout=0.5, attention_dropout=0.5)


def test_one_map_a_layer_sentence_and_head_of_rows_that_sum_to_one(model):
    weights = cross_attention_weights(model, SRC, TGT)
    assert weights.shape == (2, 2, 2, 3, 4)
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)
    assert (weights >= 0).all()


def test_padding_of_the_source_is_never_looked_at(model):
    weights = cross_attention_weights(model, SRC, TGT)
    assert not weights[:, 1, ..., 2:].any()
    assert weights[:, 0].all()


def test_the_maps_are_those_with_which_the_values_are_averaged(model):
    """With the weights of a layer and its values, its output can be had by hand."""
    weights = cross_attention_weights(model, SRC, TGT)
    model.eval()
    attention = model.decoder.layers[1].cross_attention.sublayer
    inputs, outputs = {}, {}
    forward = attention.forward
    attention.forward = lambda x, memory, mask: outputs.setdefault(
        "y", forward(*inputs.setdefault("x", (x, memory)), mask)
    )
    model.forward(SRC, TGT)
    _, memory = inputs["x"]
    values = attention.w_value.forward(memory).reshape(2, 4, 2, -1).swapaxes(1, 2)
    heads = (weights[1] @ values).swapaxes(1, 2).reshape(2, 3, -1)
    np.testing.assert_allclose(attention.w_output.forward(heads), outputs["y"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("training", [True, False])
def test_the_layers_are_left_as_they_were(model, training):
    model.train(training)
    names = [set(vars(module)) for _, module in model.named_modules()]
    cross_attention_weights(model, SRC, TGT)
    assert [set(vars(module)) - {"training", "_cache"} for _, module in model.named_modules()] == [
        own - {"training", "_cache"} for own in names
    ]
    assert all(module.training is training for _, module in model.named_modules())
    if training:
        model.backward(model.forward(SRC, TGT))


def test_the_layers_are_left_as_they_were_after_an_error(model):
    with pytest.raises(InputError):
        cross_attention_weights(model, SRC, TGT + 100)
    assert model.training
    softmax = model.decoder.layers[0].cross_attention.sublayer.attention.softmax
    assert "forward" not in vars(softmax)
