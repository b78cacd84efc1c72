"""Gradients in the translator of the course, for the sentence and a target that one may choose."""

from __future__ import annotations

import npformer as npf
from npformer.tasks import LabelSmoothingLoss, TranslationBatch

from .course_sentence import SOURCE, CourseSentence


def trace_backward(sentence: CourseSentence, target: str) -> npf.visualization.Trace:
    """Return what passes through every layer forward and backward, if this were the translation.

    The loss is the cross-entropy of the target's tokens, without label smoothing. The model is left
    in eval mode, with gradients of 0.

    >>> trace = trace_backward(CourseSentence(), "Ich schalte jeden Tag die neue Radio aus.")
    >>> trace["decoder.layers.1"].dy.shape
    (1, 10, 64)
    """
    translator = sentence.translator
    model = sentence.model
    source_ids = translator.source.encode(SOURCE)
    target_ids = translator.target.encode(target)
    batch = TranslationBatch.of([source_ids], [target_ids])

    model.train()
    loss = LabelSmoothingLoss(eps=0)
    with npf.trace(model) as trace:
        loss.forward(model.forward(batch.src, batch.tgt_in), batch.tgt_out)
        model.backward(loss.backward())
    model.zero_grad()
    model.eval()
    return trace
