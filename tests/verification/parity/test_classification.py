"""The classifier against nn.TransformerEncoder, pooling of plain tensors and nn.Linear; its loss
against theirs.
"""

import pytest

from npformer.models import Classifier, ClassifierConfig
from npformer.tasks import ClassificationBatch, Objective
from tests.small_models import disturb

from . import weights
from .parity import BATCH, D_FF, D_MODEL, HEADS, SOURCE, VOCAB, compare, padded_ids
from .torch_transformer import TorchClassifier
from .weights import copy_weights, torch

N_CLASSES = 5


def configure(**settings):
    sizes = dict(vocab_size=VOCAB, n_classes=N_CLASSES, d_model=D_MODEL, d_ff=D_FF, n_heads=HEADS)
    rest = dict(n_encoder_layers=2, max_len=8, dropout=0.0, dtype="float64", layer_norm_eps=1e-3)
    return ClassifierConfig(**{**sizes, **rest, **settings})


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize("pooling", ["mean", "first", "max"])
def test_classifier(agree, rng, norm, positions, pooling):
    config = configure(norm=norm, positions=positions, pooling=pooling, pad_id=3)
    ours, theirs = Classifier(config, rng=rng), TorchClassifier(config)
    ids = padded_ids(rng, SOURCE, VOCAB, config.pad_id)
    compare(agree, rng, ours, theirs, weights.classifier(ours, theirs), [ids])


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_classifier_with_its_loss(agree, rng, smoothing):
    config = configure()
    ours, theirs = Classifier(config, rng=rng), TorchClassifier(config)
    disturb(ours, rng)
    pairs = copy_weights(weights.classifier(ours, theirs))
    assert {id(pair.ours) for pair in pairs} == {id(parameter) for parameter in ours.parameters()}
    ids, labels = padded_ids(rng, SOURCE, VOCAB, config.pad_id), rng.integers(0, N_CLASSES, BATCH)
    labels[0] = 0  # is a class and not padding
    objective = Objective(ours, label_smoothing=smoothing)
    loss = objective.forward(ClassificationBatch(ids, labels))
    objective.backward()
    logits = theirs(torch.tensor(ids))
    loss_theirs = torch.nn.functional.cross_entropy(
        logits, torch.tensor(labels), label_smoothing=smoothing
    )
    loss_theirs.backward()
    agree("loss", loss, loss_theirs)
    for name, pair in (("output", pairs[-2]), ("table", pairs[0])):
        agree(f"gradient of {name}", pair.ours.grad, pair.view(pair.theirs.grad))
