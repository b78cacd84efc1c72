from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from npformer.visualization import attention_weights

SRC = np.array([[4, 5, 6, 3], [7, 3, 0, 0]])
TGT = np.array([[2, 8, 9], [2, 8, 0]])


@pytest.fixture
def model(make_model):
    return make_model(n_decoder_layers=2, dropout=0.5, attention_dropout=0.5)


@pytest.fixture
def weights(model):
    return attention_weights(model, SRC, TGT)


def test_attention_maps_have_shapes_and_row_sums_of_one(weights):
    shapes = {"encoder": (1, 2, 2, 4, 4), "decoder": (2, 2, 2, 3, 3), "cross": (2, 2, 2, 3, 4)}
    assert {kind: found.shape for kind, found in weights._asdict().items()} == shapes
    for found in weights:
        np.testing.assert_allclose(found.sum(-1), 1, rtol=1e-5)
        assert (found >= 0).all()


def test_padding_gets_no_attention(weights):
    for over_source in (weights.encoder, weights.cross):
        assert not over_source[:, 1, ..., 2:].any()
        assert over_source[:, 0].all()
    assert not weights.decoder[:, 1, ..., 2].any()


def test_decoder_attends_to_no_later_token(weights):
    assert (weights.decoder[:, 0] > 0).tolist() == np.broadcast_to(
        np.tri(3, dtype=bool), (2, 2, 3, 3)
    ).tolist()


def test_restricted_maps_are_zero_outside_neighborhood(make_model):
    weights = attention_weights(make_model(n_decoder_layers=2, neighbors=1), SRC, TGT)
    shapes = {"encoder": (1, 2, 2, 4, 4), "decoder": (2, 2, 2, 3, 3), "cross": (2, 2, 2, 3, 4)}
    assert {kind: found.shape for kind, found in weights._asdict().items()} == shapes
    for found in (weights.encoder, weights.decoder):  # of one neighbor, the one before
        gap = np.subtract.outer(np.arange(found.shape[-1]), np.arange(found.shape[-1]))
        assert ((found[:, 0] > 0) == ((gap == 0) | (gap == 1))).all()
        np.testing.assert_allclose(found[:, 0].sum(-1), 1, rtol=1e-5)
    assert not weights.encoder[:, 1, ..., 2:].any() and weights.cross[:, 0].all()


@pytest.mark.parametrize("neighbors", [None, 2, 3])
@pytest.mark.parametrize(
    ("kind", "layer"),
    [
        ("encoder", lambda model: model.encoder.layers[-1].self_attention),
        ("decoder", lambda model: model.decoder.layers[-1].self_attention),
        ("cross", lambda model: model.decoder.layers[-1].cross_attention),
    ],
)
def test_maps_reproduce_output_of_attention_layers(make_model, kind, layer, neighbors):
    """With the weights of a layer and its values, its output can be had by hand."""
    model = make_model(
        n_decoder_layers=2, dropout=0.5, attention_dropout=0.5, neighbors=neighbors
    ).eval()
    weights = attention_weights(model, SRC, TGT)
    attention = layer(model).sublayer
    given, forward = {}, attention.forward

    def noted(*inputs):
        return given.setdefault("y", forward(*given.setdefault("inputs", inputs)))

    attention.forward = noted
    model.forward(SRC, TGT)
    *_, read, _ = given["inputs"]
    values = attention.w_value.forward(read)
    values = values.reshape(*values.shape[:2], 2, -1).swapaxes(1, 2)
    heads = (getattr(weights, kind)[-1] @ values).swapaxes(1, 2)
    by_hand = attention.w_output.forward(heads.reshape(*heads.shape[:2], -1))
    np.testing.assert_allclose(by_hand, given["y"], rtol=1e-5, atol=1e-6)


def test_flash_attention_gives_the_same_weights(make_model):
    kinds = [
        make_model(n_decoder_layers=2, attention=attention) for attention in ("plain", "flash")
    ]
    plain, by_blocks = (attention_weights(model, SRC, TGT) for model in kinds)
    for expected, found in zip(plain, by_blocks, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_threads_get_the_weights_of_their_own_ids(model):
    texts = [SRC, SRC[:, :2]]
    expected = [attention_weights(model, src, TGT).cross for src in texts]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda src: attention_weights(model, src, TGT).cross, texts * 20))
    for i, cross in enumerate(found):
        np.testing.assert_array_equal(cross, expected[i % 2])
    assert not any("forward" in vars(module) for module in model.modules())


@pytest.mark.parametrize("training", [True, False])
def test_layers_are_unchanged(model, training):
    model.train(training)
    names = [set(vars(module)) for _, module in model.named_modules()]
    attention_weights(model, SRC, TGT)
    assert [set(vars(module)) for _, module in model.named_modules()] == names
    assert all(module.training == training for _, module in model.named_modules())
    if training:
        model.backward(model.forward(SRC, TGT))
