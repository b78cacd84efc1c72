"""The helpers of notebook 07 take masks away, and give them back."""

import numpy as np

from helpers.course_sentence import SOURCE, TARGET, CourseSentence
from helpers.without_masks import batch_of, logits_of, write, write_with_memories

sentence = CourseSentence()


def test_nothing_is_taken_away_by_default():
    src = batch_of(sentence.translator, [SOURCE, "The dog sleeps."])
    assert src.shape == (2, 10) and (src[1] == 0).sum() == 5
    read = np.concatenate([sentence.batch.tgt_in] * 2)
    with sentence.model.evaluating():
        expected = sentence.model.forward(src, read)
    np.testing.assert_array_equal(logits_of(sentence.translator, src, read), expected)
    assert write(sentence.translator, src)[0] == TARGET
    assert write_with_memories(sentence.translator, src, [1, 1])[0] == TARGET


def test_masks_are_back_afterwards():
    source = sentence.batch.src
    assert write(sentence.translator, source, hide_future=False) != [TARGET]
    padded = np.pad(source, ((0, 0), (0, 5)))
    assert write(sentence.translator, padded, hide_padding=False) != [TARGET]
    assert write(sentence.translator, padded) == [TARGET]
