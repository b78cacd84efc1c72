"""Decoding, the training loop and the gradient cases, on a library that refuses silent conversion."""

import numpy as np
import pytest
from backend_cases import SRC, TGT_IN, VARIANTS, build_classifier, build_language_model, build_model

from npformer import tasks, training
from npformer.decoding import TextClassifier, TextGenerator, greedy_decode
from npformer.tasks import Objective, evaluate, held_out_scores, mean_loss
from npformer.text import Labels, Vocabulary
from npformer.text.vocabulary import SPECIALS
from npformer.visualization import attention_weights, sentence_attention

PAIRS = [([4, 5, 6], [6, 5, 4]), ([7, 8], [8, 7]), ([9], [9, 9])]


def on_both(library, run, **settings):
    """Run a model with NumPy and with the stand-in."""
    results = []
    for name in ("numpy", "stand-in"):
        library(name)
        results.append(run(build_model(VARIANTS[0], "float64", **settings)))
    return results


@pytest.mark.parametrize("neighbors", [None, 1])
@pytest.mark.parametrize("eos_id", range(2, 6))
def test_greedy_decoding(library, eos_id, neighbors):
    ids = {"bos_id": 2, "eos_id": eos_id, "extra": 3}
    by_numpy, by_stand_in = on_both(library, lambda model: greedy_decode(model, SRC, **ids), neighbors=neighbors)
    assert by_numpy == by_stand_in and any(by_numpy)


@pytest.mark.parametrize("neighbors", [None, 1])
def test_attention_weights(library, neighbors):
    found = on_both(library, lambda model: attention_weights(model, SRC, TGT_IN), neighbors=neighbors)
    by_numpy, by_stand_in = found
    for expected, found in zip(by_numpy, by_stand_in, strict=True):
        assert type(found) is np.ndarray
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_classes_and_their_scores(library):
    examples, found = [([4, 5, 6], 2), ([7, 8], 0), ([9, 4], 1)], []
    for name in ("numpy", "stand-in"):
        library(name)
        model = build_classifier("max", "float64", dropout=0.5)
        labeller = TextClassifier(model, Vocabulary([*SPECIALS, *"abcdefg"]), Labels(["x", "y", "z"]))
        scores = held_out_scores(
            Objective(model, label_smoothing=0.0),
            tasks.Batches(examples, kind=tasks.ClassificationBatch, batch_tokens=9),
        )
        found.append((labeller.probabilities([[2, *ids] for ids, _ in examples]), scores))
    (probabilities, scores), (others, other_scores) = found
    assert type(others) is np.ndarray
    np.testing.assert_allclose(others, probabilities, rtol=0, atol=1e-12)
    assert scores.loss == pytest.approx(other_scores.loss, rel=1e-12) and scores.accuracy == other_scores.accuracy


@pytest.mark.parametrize("how", [{"temperature": 0}, {"top_k": 3}, {"top_p": 0.8, "temperature": 2.0}], ids=str)
def test_a_text_is_written_and_scored_and_its_attention_seen(library, how):
    """Beyond max_len = 8, where the text is read again."""
    vocabulary = Vocabulary([*SPECIALS, *"abcdefg"], unit="characters", running=True)
    found = []
    for name in ("numpy", "stand-in"):
        library(name)
        writer = TextGenerator(build_language_model("float64"), vocabulary)
        looked = sentence_attention(writer, "abc")
        assert type(looked.decoder) is np.ndarray
        text, scores = writer.write("abcab", 20, rng=3, **how), evaluate(writer, ["abcabcabbagedcaf"])
        found.append((text, round(scores.loss, 10), looked.written, looked.decoder.round(10).tolist()))
    assert found[0] == found[1] and len(found[0][0]) == 20


def test_trainer_and_checkpoint(stand_in, tmp_path):
    pytest.importorskip("safetensors")

    def start():
        model = build_model(VARIANTS[0], "float64", dropout=0.2)
        adam = training.Adam(training.FlatParameters(model.parameters()), learning_rate=0.01)
        return training.Trainer(tasks.Objective(model), adam, tasks.Batches(PAIRS, batch_tokens=8))

    trainer = start()
    records = list(trainer.updates(2))
    training.save_checkpoint(tmp_path / "checkpoint.safetensors", trainer)
    fresh = start()
    training.Checkpoint.read(tmp_path / "checkpoint.safetensors").restore(fresh)
    weights = fresh.objective.state_dict()
    for name, array in trainer.objective.state_dict().items():
        np.testing.assert_array_equal(weights[name], array, name)
    assert fresh.optimizer.steps == len(records)
    assert np.isfinite(mean_loss(trainer.objective.model, trainer.batches))
