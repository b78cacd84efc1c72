"""Gradients in the translator of the course, for the sentence and a target that one may choose."""

from __future__ import annotations

from types import SimpleNamespace

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


def self_attention_arrays(trace: npf.visualization.Trace, name: str) -> SimpleNamespace:
    """Return what a self-attention with its residual connection and LayerNorm used and got.

    That is x, total, which is x and what attention computed, and the gradients dy and dx (B, T, D);
    q, k, v and heads (B, H, T, d_k) and weights (B, H, T, T); the matrices w_query, w_key, w_value
    and w_output; and gain, bias and eps of the norm.

    Arguments:
        trace: of `trace_backward`
        name: of the sub-layer, such as "encoder.layers.0.self_attention"
    """
    sublayer = trace[name]
    attention = trace[f"{name}.sublayer.attention"]
    of_attention = sublayer.layer.sublayer
    norm = sublayer.layer.norm
    return SimpleNamespace(
        x=sublayer.inputs.x,
        total=trace[f"{name}.norm"].inputs.x,
        dy=sublayer.dy,
        dx=sublayer.dinputs.dx,
        q=attention.inputs.query,
        k=attention.inputs.key,
        v=attention.inputs.value,
        heads=attention.output,
        weights=trace[f"{name}.sublayer.attention.softmax"].output,
        w_query=of_attention.w_query.weight.data,
        w_key=of_attention.w_key.weight.data,
        w_value=of_attention.w_value.weight.data,
        w_output=of_attention.w_output.weight.data,
        gain=norm.gain.data,
        bias=norm.bias.data,
        eps=norm.eps,
    )
