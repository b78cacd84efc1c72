"""The key of the exercise gives the BLEU of npformer's own evaluation."""

import pytest

from npformer.evaluation import bleu_and_chrf
from npformer_course import course
from npformer_course.case import Case
from npformer_course.definition import module_of


@pytest.mark.parametrize("corpus", ["", "_short"])
def test_key_equals_npformer_score(corpus):
    exercise = course.load("bleu")
    key = module_of(exercise.key)
    for drawn in Case(exercise, 0).draws:
        both = drawn.inputs[f"translations{corpus}"], drawn.inputs[f"references{corpus}"]
        texts = ([" ".join(sentence) for sentence in side] for side in both)
        assert key.corpus_bleu(*both) == pytest.approx(bleu_and_chrf(*texts, tokenize="none").bleu)
