"""Weights of an nn.Transformer in ours, and back."""

import warnings

import pytest

import npformer as npf
from npformer import InputError
from npformer.interop import from_nn_transformer, to_nn_transformer

torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')


def as_arrays(module):
    return {name: tensor.numpy() for name, tensor in module.state_dict().items()}


def test_nn_transformer_weights_round_trip(make_model):
    model = make_model(norm="pre", n_encoder_layers=2, n_decoder_layers=3, dtype="float64")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="enable_nested_tensor")
        theirs = torch.nn.Transformer(16, 2, 2, 3, 24, norm_first=True, dtype=torch.double)
    weights = as_arrays(theirs)
    model.load_state_dict(model.state_dict() | from_nn_transformer(weights))
    back = to_nn_transformer(model.state_dict())
    assert back.keys() == weights.keys()
    assert all((back[name] == array).all() for name, array in weights.items())


def test_post_norm_nn_transformer_has_an_extra_norm(make_model):
    ours = make_model(norm="post", n_encoder_layers=1, n_decoder_layers=1)
    theirs = torch.nn.Transformer(16, 2, 1, 1, 24, batch_first=True)
    with pytest.raises(InputError, match=r"decoder.norm.bias"):
        ours.load_state_dict(ours.state_dict() | from_nn_transformer(as_arrays(theirs)))


def test_missing_array_is_named(make_model):
    weights = make_model().state_dict()
    del weights["encoder.layers.0.self_attention.sublayer.w_query.bias"]
    with pytest.raises(
        InputError, match=r"lack encoder.layers.0.self_attention.sublayer.w_query.bias"
    ):
        npf.interop.to_nn_transformer(weights)
