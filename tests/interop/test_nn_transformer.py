"""nn.Transformer with our weights computes what our columns compute."""

import warnings

import numpy as np
import pytest

import npformer as npf
from npformer import InputError
from npformer.interop import from_nn_transformer, to_nn_transformer

torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')
FUTURE = torch.ones(5, 5, dtype=torch.bool).triu(1)  # our decoder hides it by itself


@pytest.fixture
def model(make_model):
    model = make_model(norm="pre", n_encoder_layers=2, n_decoder_layers=3, dropout=0.0, dtype="float64")
    rng = np.random.default_rng(1)
    for parameter in model.parameters():
        parameter.data += rng.normal(0, 0.3, parameter.data.shape)
    return model


@pytest.fixture
def theirs(model):
    c = model.config
    settings = {"layer_norm_eps": 1e-6, "batch_first": True, "norm_first": True, "dtype": torch.double}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="enable_nested_tensor")
        return torch.nn.Transformer(c.d_model, c.n_heads, 2, 3, c.d_ff, 0.0, **settings).eval()


def as_arrays(module):
    return {name: tensor.numpy() for name, tensor in module.state_dict().items()}


def test_our_weights_in_an_nn_transformer_compute_what_ours_do(model, theirs):
    theirs.load_state_dict({k: torch.tensor(v) for k, v in to_nn_transformer(model.state_dict()).items()})
    src, tgt = np.random.default_rng(2).normal(size=(2, 3, 5, model.config.d_model))
    memory = columns(model.encoder, src)
    expected = columns(model.decoder, tgt, memory)
    found = theirs(torch.tensor(src), torch.tensor(tgt), tgt_mask=FUTURE).detach().numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def columns(column, x, *memory):
    for layer in column.layers:
        x = layer.forward(x, *memory)
    return column.norm.forward(x)


def test_weights_of_an_nn_transformer_are_taken_over_and_come_back(model, theirs):
    weights = as_arrays(theirs)
    model.load_state_dict(model.state_dict() | from_nn_transformer(weights))
    back = to_nn_transformer(model.state_dict())
    assert back.keys() == weights.keys()
    assert all((back[name] == array).all() for name, array in weights.items())


def test_a_post_norm_nn_transformer_has_a_norm_too_many(make_model):
    ours = make_model(norm="post", n_encoder_layers=1, n_decoder_layers=1)
    theirs = torch.nn.Transformer(16, 2, 1, 1, 24, batch_first=True)
    with pytest.raises(InputError, match=r"decoder.norm.bias"):
        ours.load_state_dict(ours.state_dict() | from_nn_transformer(as_arrays(theirs)))


def test_a_post_norm_nn_transformer_is_taken_over_where_ours_ends_in_a_norm_too(make_model):
    settings = {"norm": "post", "final_norm": True, "dropout": 0.0, "dtype": "float64"}
    ours = make_model(**settings, n_encoder_layers=1, n_decoder_layers=1)
    how = {"layer_norm_eps": 1e-6, "batch_first": True, "dtype": torch.double}
    theirs = torch.nn.Transformer(16, 2, 1, 1, 24, 0.0, **how).eval()
    ours.load_state_dict(ours.state_dict() | from_nn_transformer(as_arrays(theirs)))
    src, tgt = np.random.default_rng(2).normal(size=(2, 3, 5, 16))
    expected = columns(ours.decoder, tgt, columns(ours.encoder, src))
    found = theirs(torch.tensor(src), torch.tensor(tgt), tgt_mask=FUTURE).detach().numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def test_a_missing_array_is_named(make_model):
    weights = make_model().state_dict()
    del weights["encoder.layers.0.self_attention.sublayer.w_query.bias"]
    with pytest.raises(InputError, match=r"lack encoder.layers.0.self_attention.sublayer.w_query.bias"):
        npf.interop.to_nn_transformer(weights)
