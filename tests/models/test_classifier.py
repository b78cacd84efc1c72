"""What must hold for a classifier, whatever its weights: padding, neighbors, pooling, eval mode,
types.
"""

import numpy as np
import pytest

from npformer import InputError
from npformer.layers import FirstTokenPooling, MaxPooling, MeanPooling
from npformer.models import Classifier, ClassifierConfig
from npformer.tasks import ClassificationBatch, Objective
from tests.small_models import disturb

PAD, VOCAB, S, N_CLASSES = 0, 11, 7, 4
SETTINGS = [
    {"pooling": "mean", "norm": "post", "positions": "sinusoidal"},
    {"pooling": "first", "norm": "pre", "positions": "learned"},
    {"pooling": "max", "norm": "pre", "positions": "sinusoidal"},
    {"encoder": "lstm"},
    {"encoder": "convolution", "norm": "pre"},
]
KINDS = {"mean": MeanPooling, "first": FirstTokenPooling, "max": MaxPooling}
each_model = pytest.mark.parametrize("settings", SETTINGS, ids=str)
X = np.array(
    [
        [[2.0, -7.0], [4.0, -5.0], [9.0, -9.0], [1.0, 0.0]],
        [[-3.0, 1.0], [8.0, 8.0], [8.0, 8.0], [8.0, 8.0]],
    ]
)
REAL = np.array([[True, True, True, False], [True, False, False, False]])

POOLED = [
    (MeanPooling, [[5, -7], [-3, 1]]),
    (MaxPooling, [[9, -5], [-3, 1]]),
    (FirstTokenPooling, [[2, -7], [-3, 1]]),
]


def build(settings, **more):
    """Return a classifier with weights of order 1, and ids without padding."""
    sizes = dict(d_model=6, d_ff=9, n_heads=2, d_k=5, d_v=4, n_encoder_layers=2, max_len=12)
    classes = {"vocab_size": VOCAB, "n_classes": N_CLASSES, "pad_id": PAD}
    config = ClassifierConfig(
        **{**sizes, **classes, "dropout": 0.0, "dtype": "float64", **settings, **more}
    )
    rng = np.random.default_rng(0)
    model = Classifier(config, rng=rng)
    disturb(model, rng, 0.5)
    return model, rng.integers(1, VOCAB, (3, S))


def padded(ids):
    ids = ids.copy()
    ids[1:, 4:] = PAD
    return ids


@each_model
def test_additional_padding_changes_no_output(settings):
    model, ids = build(settings)
    longer = np.pad(ids, ((0, 0), (0, 3)), constant_values=PAD)
    np.testing.assert_allclose(model.forward(longer), model.forward(ids), rtol=1e-9, atol=1e-11)


@each_model
def test_embedding_of_padding_changes_no_output(settings):
    model, ids = build(settings)
    logits = model.forward(padded(ids))
    model.encoder.input_embedding.embedding.table.data[PAD] = 99 * np.arange(6) ** 2
    np.testing.assert_allclose(model.forward(padded(ids)), logits, rtol=1e-9, atol=1e-11)


@each_model
def test_padding_has_no_gradient(settings):
    model, ids = build(settings)
    objective = Objective(model)
    objective.forward(ClassificationBatch(padded(ids), np.array([0, 1, 3])))
    objective.backward()
    gradient = np.abs(model.encoder.input_embedding.embedding.table.grad).max(1)
    assert gradient[PAD] < 1e-12 < gradient.max()


@each_model
def test_texts_of_a_batch_are_independent(settings):
    model, ids = build(settings)
    together = model.forward(padded(ids))
    for i in range(len(ids)):
        alone = padded(ids)[i : i + 1]
        np.testing.assert_allclose(model.forward(alone)[0], together[i], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("settings", SETTINGS[:2], ids=str)
def test_every_token_affects_every_logit(settings):
    model, ids = build(settings)
    logits = model.forward(ids)
    for s in range(S):
        changed = ids.copy()
        changed[:, s] = ids[:, s] % (VOCAB - 1) + 1
        assert (np.abs(model.forward(changed) - logits) > 1e-12).all()


@each_model
def test_text_of_only_padding_stays_finite(settings):
    model, ids = build(settings, dropout=0.25, attention_dropout=0.25)
    ids[1] = PAD
    objective = Objective(model)
    assert np.isfinite(objective.forward(ClassificationBatch(ids, np.array([0, 1, 3]))))
    objective.backward()
    assert all(np.isfinite(p.grad).all() for p in model.parameters())


@pytest.mark.parametrize("pooling", KINDS)
def test_pooling_setting_selects_the_layer(pooling):
    assert type(build({"pooling": pooling})[0].pooling) is KINDS[pooling]


@pytest.mark.parametrize(("kind", "expected"), POOLED)
def test_only_real_positions_are_pooled(kind, expected):
    np.testing.assert_array_equal(kind().forward(X, REAL), expected)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (MeanPooling, [[[2, 4], [2, 4], [2, 4], [0, 0]], [[30, 60], [0, 0], [0, 0], [0, 0]]]),
        (MaxPooling, [[[0, 0], [0, 12], [6, 0], [0, 0]], [[30, 60], [0, 0], [0, 0], [0, 0]]]),
        (
            FirstTokenPooling,
            [[[6, 12], [0, 0], [0, 0], [0, 0]], [[30, 60], [0, 0], [0, 0], [0, 0]]],
        ),
    ],
)
def test_pooling_gradient_goes_to_pooled_positions(kind, expected):
    layer = kind()
    layer.forward(X, REAL)
    np.testing.assert_allclose(layer.backward(np.array([[6.0, 12.0], [30.0, 60.0]])), expected)


@pytest.mark.parametrize("kind", [MeanPooling, MaxPooling])
def test_pooling_without_real_tokens_gives_zeros(kind):
    layer, nothing = kind(), np.zeros((2, 4), bool)
    assert not layer.forward(X, nothing).any()
    assert not layer.backward(np.ones((2, 2))).any()


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (
            np.array([4, 5]),
            r"ids have shape \(2,\): expected \(batch, length\), for one text \(1, length\), not empty",
        ),
        (np.zeros((2, 0), int), r"ids have shape \(2, 0\): expected"),
        (np.array([[4.0]]), "must be integers|integer"),
        (np.array([[VOCAB]]), "11"),
        (np.full((1, 13), 4), "max_len"),
    ],
)
def test_invalid_ids_are_rejected(ids, expected):
    with pytest.raises(InputError, match=expected) as caught:
        build(SETTINGS[0])[0].forward(ids)
    assert "\n" not in str(caught.value)


def test_only_the_lstm_needs_an_even_width():
    model, ids = build({"encoder": "convolution", "positions": "learned", "d_model": 5, "d_k": 4})
    assert model.forward(ids).shape == (3, N_CLASSES)
    with pytest.raises(InputError, match="even"):
        build({"encoder": "lstm", "positions": "learned", "d_model": 5, "d_k": 4})


@pytest.mark.parametrize("encoder", ["lstm", "convolution"])
def test_encoder_without_heads_takes_any_width(encoder):
    model, ids = build({"encoder": encoder, "d_model": 10, "n_heads": 8, "d_k": None, "d_v": None})
    assert model.forward(ids).shape == (3, N_CLASSES)
    with pytest.raises(InputError, match="d_model = 10 is not divisible by n_heads = 8"):
        build({"d_model": 10, "n_heads": 8, "d_k": None})
