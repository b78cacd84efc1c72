"""npformer runs on a library that refuses silent conversion, and computes there what it computes
with NumPy.
"""

import numpy as np
import pytest

import npformer as npf
from npformer import tasks, training
from npformer.backend import DROP_LEVELS, dropout_mask, to_device, to_host
from npformer.decoding import greedy_decode
from npformer.layers import LayerNorm
from npformer.models import Classifier, ClassifierConfig, LanguageModel, LanguageModelConfig
from npformer.tasks import TextClassifier, TextGenerator
from npformer.testing.cases import CASES
from npformer.text import Labels, Vocabulary
from npformer.text.vocabulary import SPECIALS
from npformer.visualization import attention_weights, sentence_attention
from tests.backend.backend_cases import (
    SIZES,
    SRC,
    TGT_IN,
    V,
    build_transformer,
    compare,
    run_case,
    run_on,
    train,
)
from tests.backend.stand_in import DeviceArray

BOTH = ("numpy", "stand-in")
TOLERANCE = 1e-12
PAIRS = [([4, 5, 6], [6, 5, 4]), ([7, 8], [8, 7]), ([9], [9, 9])]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradient_cases(library, case):
    compare(*run_on(library, BOTH, lambda: run_case(case, "float64")), TOLERANCE)


@pytest.mark.parametrize(
    "settings", [{}, {"norm": "pre", "tie_embeddings": "none", "positions": "learned"}], ids=str
)
def test_training(library, settings):
    compare(*run_on(library, BOTH, lambda: train(build_transformer(**settings))), TOLERANCE)


def test_training_with_dropout(stand_in):
    found, again = (train(build_transformer(dropout=0.3)) for _ in range(2))
    assert np.isfinite(found["losses"]).all()
    compare(found, again, 0.0)


def test_results_and_gradients_are_on_the_device(stand_in):
    model = build_transformer()
    logits = model.forward(SRC, TGT_IN)
    model.backward(logits)
    arrays = [logits, *(p.data for p in model.parameters()), *(p.grad for p in model.parameters())]
    assert all(isinstance(array, DeviceArray) for array in arrays)


def test_weights_are_loaded_and_saved_as_host_arrays(library, tmp_path):
    weights = build_transformer().state_dict()
    library("stand-in")
    model = build_transformer()
    for p in model.parameters():
        p.data.fill(0)
    model.load_state_dict(weights)
    assert all(type(array) is np.ndarray for array in model.state_dict().values())
    compare(weights, model.state_dict(), 0.0)
    npf.save(model, tmp_path / "model")
    compare(weights, npf.load(tmp_path / "model").state_dict(), 0.0)


def test_adams_moments_are_loaded_and_saved_as_host_arrays(stand_in):
    adam = training.Adam(build_transformer().parameters(), learning_rate=0.1)
    m = np.arange(adam.m.size, dtype=float)
    state = {"m": m, "v": np.ones(adam.v.size), "steps": np.array(3)}
    adam.load_state_dict(state)
    compare(state, adam.state_dict(), 0.0)


def test_gradcheck(stand_in):
    npf.gradcheck(
        LayerNorm(6, dtype="float64"), np.random.default_rng(1).normal(size=(2, 3, 6))
    ).require_ok()


def test_dropout_masks_depend_only_on_host_generator(stand_in):
    masks = [
        to_host(dropout_mask(np.random.default_rng(seed), (50, 40), 0.25)) for seed in (3, 3, 4)
    ]
    assert masks[0].dtype == bool and masks[0].shape == (50, 40)
    assert (masks[0] == masks[1]).all() and (masks[0] != masks[2]).any()
    assert abs(masks[0].mean() - 0.75) < 0.05
    assert to_host(dropout_mask(np.random.default_rng(0), (9,), 1 / DROP_LEVELS)).all()


def test_loss_accepts_targets_on_host_or_device(stand_in):
    logits, targets = to_device(np.random.default_rng(0).normal(size=(3, V))), np.array([4, 0, 5])
    losses = [
        tasks.LabelSmoothingLoss().forward(logits, ids) for ids in (targets, to_device(targets))
    ]
    assert losses[0] == losses[1] and isinstance(losses[0], float)


@pytest.mark.parametrize("neighbors", [None, 1])
def test_greedy_decoding_and_attention_weights(library, neighbors):
    def run():
        model = build_transformer(neighbors=neighbors)
        ids = [
            greedy_decode(model, SRC, bos_id=2, eos_id=eos_id, max_extra_tokens=3)
            for eos_id in range(2, 6)
        ]
        return ids, attention_weights(model, SRC, TGT_IN)

    (ids, weights), (found, found_weights) = run_on(library, BOTH, run)
    assert found == ids and any(map(any, ids))
    for expected, array in zip(weights, found_weights, strict=True):
        assert type(array) is np.ndarray
        np.testing.assert_allclose(array, expected, rtol=0, atol=TOLERANCE)


def test_text_classifier(library):
    examples = [([4, 5, 6], 2), ([7, 8], 0), ([9, 4], 1)]

    def run():
        config = ClassifierConfig(
            **SIZES, vocab_size=V, n_classes=3, n_encoder_layers=2, pooling="max", dropout=0.5
        )
        model = Classifier(config, rng=0)
        predictor = TextClassifier(
            model, Vocabulary([*SPECIALS, *"abcdefg"]), Labels(["x", "y", "z"])
        )
        batches = tasks.Batches(
            examples,
            collate=tasks.ClassificationBatch.collate,
            n_special_tokens=(1,),
            batch_tokens=9,
        )
        scores = tasks.held_out_scores(tasks.Objective(model, label_smoothing=0.0), batches)
        probabilities = predictor.probabilities([[2, *ids] for ids, _ in examples])
        assert type(probabilities) is np.ndarray
        return {
            "probabilities": probabilities,
            "loss": np.array(scores.loss),
            "accuracy": np.array(scores.accuracy),
        }

    compare(*run_on(library, BOTH, run), TOLERANCE)


@pytest.mark.parametrize(
    "settings", [{"temperature": 0}, {"top_k": 3}, {"top_p": 0.8, "temperature": 2.0}], ids=str
)
def test_text_generator(library, settings):
    """Beyond max_len = 8, where the text is encoded again."""
    vocabulary = Vocabulary([*SPECIALS, *"abcdefg"], tokenizer="character", running=True)

    def run():
        config = LanguageModelConfig(**SIZES, vocab_size=V, n_decoder_layers=2, dropout=0.0)
        generator = TextGenerator(LanguageModel(config, rng=0), vocabulary)
        attention = sentence_attention(generator, "abc")
        text, scores = (
            generator.generate("abcab", 20, rng=3, **settings),
            tasks.evaluate(generator, ["abcabcabbagedcaf"]),
        )
        return text, round(scores.loss, 10), attention.written, attention.decoder.round(10).tolist()

    expected, found = run_on(library, BOTH, run)
    assert found == expected and len(found[0]) == 20


def test_trainer_and_checkpoint(stand_in, tmp_path):
    def make_trainer():
        model = build_transformer(dropout=0.2)
        adam = training.Adam(model.parameters(), learning_rate=0.01)
        return training.Trainer(tasks.Objective(model), adam, tasks.Batches(PAIRS, batch_tokens=8))

    trainer, restored = make_trainer(), make_trainer()
    records = list(trainer.updates(2))
    training.save_checkpoint(tmp_path / "checkpoint.safetensors", trainer)
    training.Checkpoint.read(tmp_path / "checkpoint.safetensors").restore(restored)
    compare(trainer.objective.state_dict(), restored.objective.state_dict(), 0.0)
    assert restored.optimizer.steps == len(records)
    assert np.isfinite(tasks.mean_loss(trainer.objective.model, trainer.batches))
