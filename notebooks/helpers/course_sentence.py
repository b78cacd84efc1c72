"""The sentence that the course follows, from its words to an update, and its translator."""

from __future__ import annotations

import textwrap
from functools import cached_property

import numpy as np

import npformer as npf
from npformer.tasks import TranslationBatch
from npformer.utils.errors import InputError

SOURCE = "I turn off the new radio every day."
TARGET = "Ich schalte jeden Tag das neue Radio aus."
SHIPPED = "phrasebook"
COLUMNS = 88  # of what a cell prints


class CourseSentence:
    """The sentence in the translator that ships: ids, tokens, and the arrays of every layer.

    The pair is not among those on which the translator was trained.

        translator      npf.load("phrasebook")
        model           its Transformer, in eval mode
        batch           src, tgt_in and tgt_out (1, 10), as a training would have them
        source_tokens   the 10 tokens of src, with <eos>; they are in lower case
        source_words    the same as the sentence has them: "I"
        read_tokens     the 10 tokens of tgt_in, with <bos>: what the decoder reads
        target_tokens   the 10 tokens of tgt_out, with <eos>: what it predicts

    >>> sentence = CourseSentence()
    >>> sentence.translator.translate([SOURCE])
    ['Ich schalte jeden Tag das neue Radio aus.']
    >>> " ".join(sentence.source_tokens)
    'i turn off the new radio every day . <eos>'
    >>> sentence.source_words[:3]
    ['I', 'turn', 'off']
    >>> sentence.batch.src[0]
    array([ 39, 100, 129,   5, 110, 259,  31, 205,   4,   3])
    >>> sentence.arrays("encoder.layers.0.feed_forward.sublayer.linear_1")["output"].shape
    (10, 256)
    """

    def __init__(self) -> None:
        self.translator = npf.load(SHIPPED)
        self.model = self.translator.model
        source_ids = self.translator.source.encode(SOURCE)
        target_ids = self.translator.target.encode(TARGET)
        self.batch = TranslationBatch.of([source_ids], [target_ids])
        self.source_tokens = _tokens_of(self.translator.source, self.batch.src)
        self.source_words = [
            SOURCE[start:end] for start, end in self.translator.source.spans(SOURCE)
        ]
        self.source_words.append(self.source_tokens[-1])
        self.read_tokens = _tokens_of(self.translator.target, self.batch.tgt_in)
        self.target_tokens = _tokens_of(self.translator.target, self.batch.tgt_out)

    @cached_property
    def trace(self) -> npf.visualization.Trace:
        """What passes through every layer while the sentence is translated."""
        with npf.trace(self.model) as trace:
            self.model.forward(self.batch.src, self.batch.tgt_in)
        return trace

    def arrays(self, layer: str) -> dict[str, np.ndarray]:
        """Return the inputs of a layer by name, and its output, without the axis of sentences.

        Raises `InputError` for a layer that the model does not have.
        """
        found = {}
        for name, array in self.trace[layer].arrays.items():
            if isinstance(array, np.ndarray):
                found[name] = array[0]
        return found

    def attention(self, sublayer: str) -> dict[str, np.ndarray]:
        """Return the arrays of all heads of an attention.

        They are q (H, T, d_k), k (H, S, d_k), v (H, S, d_v), the scores, divided by the root of
        d_k, and weights (H, T, S), and y (H, T, d_v).

        Arguments:
            sublayer: its name, such as "decoder.layers.1.cross_attention"

        >>> arrays = CourseSentence().attention("encoder.layers.0.self_attention")
        >>> arrays["q"].shape, arrays["weights"].shape
        ((4, 10, 16), (4, 10, 10))
        """
        attention = self.arrays(f"{sublayer}.sublayer.attention")
        softmax = self.arrays(f"{sublayer}.sublayer.attention.softmax")
        return {
            "q": attention["query"],
            "k": attention["key"],
            "v": attention["value"],
            "scores": softmax["x"],
            "weights": softmax["output"],
            "y": attention["output"],
        }


def _tokens_of(vocabulary, ids: np.ndarray) -> list[str]:
    return [vocabulary.tokens[i] for i in ids[0]]


def tally(*names: str) -> None:
    """Print how many of the translator's parameters have been met in the course so far.

    A parameter is counted once, for the first name that it has in its own, such as "w_query" in
    "encoder.layers.0.self_attention.sublayer.w_query.weight".

    Raises `InputError` for a name that no further parameter has.

    >>> tally("embedding", "w_query", "decoder.layers.0.cross_attention.sublayer.w_key")
    So far you have seen 81,920 of the translator's 286,272 numbers: embedding 52,800,
    w_query 24,960, decoder.layers.0.cross_attention.sublayer.w_key 4,160.
    """
    sizes = {}
    for name, parameter in npf.load(SHIPPED).model.named_parameters():
        sizes[name] = parameter.data.size
    total = sum(sizes.values())

    counts = {}
    for part in names:
        with_part = [name for name in sizes if f".{part}." in f".{name}."]
        if not with_part:
            raise InputError(
                f"the translator has no further {part!r}: expected a part of a name such as "
                "encoder.layers.0.self_attention.sublayer.w_query.weight"
            )
        counts[part] = 0
        for name in with_part:
            counts[part] += sizes.pop(name)

    text = f"So far you have seen {sum(counts.values()):,} of the translator's {total:,} numbers"
    if counts:
        text += ": " + ", ".join(f"{part} {count:,}" for part, count in counts.items())
    print(textwrap.fill(f"{text}.", COLUMNS, break_long_words=False))
