"""Notebook 16: a step of the exercise trains npformer's models as its own Trainer does."""

import numpy as np
import pytest

import npformer as npf
from helpers import one_step
from helpers.course_sentence import CourseSentence
from npformer.tasks import Objective, TranslationBatch
from npformer.training import Trainer
from npformer_course import course
from npformer_course.student.stand_ins import run_hidden


@pytest.mark.parametrize("max_norm", [0.5, 100.0])
def test_three_steps_equal_those_of_the_trainer(max_norm):
    training_step = run_hidden(course.load("training_step").key)["training_step"]
    model = one_step.small_translator()
    translation = one_step.Translation(model, one_step.REVERSED.src)
    optimizer = one_step.Adam(translation.parameters())

    expected = one_step.small_translator()
    adam = npf.training.Adam(expected.parameters(), learning_rate=0.01)
    trainer = Trainer(Objective(expected, label_smoothing=0.0), adam, [], clip_norm=max_norm)
    batch = TranslationBatch.of([[4, 5, 6], [7, 4]], [[6, 5, 4], [4, 7]])

    for _ in range(3):
        loss = training_step(translation, optimizer, one_step.REVERSED.ids, max_norm, 0.01)
        assert np.isclose(loss, trainer.update([batch]), rtol=1e-4)


def test_scale_multiplies_the_gradient():
    gradients = []
    for scale in (1.0, 1000.0):
        translation = one_step.Translation(one_step.small_translator(), one_step.REVERSED.src)
        translation.scale = scale
        logits = translation.forward(one_step.REVERSED.ids[:, :-1])
        translation.backward(np.ones_like(logits) * np.arange(8))
        gradients.append(translation.parameters()[0].grad.copy())
    assert abs(gradients[0]).max() > 0.1
    assert np.allclose(gradients[1], 1000 * gradients[0], rtol=1e-3, atol=0.1)


def test_sentence_has_both_ends():
    sentence = CourseSentence()
    src, ids = one_step.batch_of_sentence(sentence)
    assert src.shape == (1, 10) and ids.shape == (1, 11)
    assert ids[0, 0] == npf.text.BOS and ids[0, -1] == npf.text.EOS


def test_rows_of_digits_are_reversed():
    [src, ids] = next(one_step.reversed_digits(0, 1))
    for read, written in zip(src, ids, strict=True):
        digits = read[read >= one_step.FIRST_DIGIT]
        assert written[written >= one_step.FIRST_DIGIT].tolist() == digits[::-1].tolist()
