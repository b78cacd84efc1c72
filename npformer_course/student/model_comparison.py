"""The shipped translator with a learner's parts in it, compared with npformer's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from npformer import Transformer, Translator, runs, trace
from npformer.decoding import CachedDecoder
from npformer.tasks import TranslationBatch
from npformer.text import PAD
from npformer.visualization import Trace

from ..format_report import Line
from .own_errors import own_error
from .own_parts import lines_about_parts
from .student_layers import LAYERS, MODEL_PARTS, TRANSLATING, own_layers

SENTENCE = "I turn off the new radio every day."
# shorter, and read at the same time: without padding most masks would hide nothing
COMPANION = "The dog sleeps."
SUBLAYERS = {
    "self_attention": "self-attention",
    "cross_attention": "cross-attention",
    "feed_forward": "feed-forward",
}
GENERATOR = ("the generator", "generator")
CACHE = "kv_cache"
# relative to the largest number of a box: right answers differ by rounding, about 1e-15
TOLERANCE = 1e-8


@dataclass(frozen=True)
class ModelComparison:
    """What the translator does with a learner's parts, and what it does without them.

    Fields:
        own: the ids of the exercises whose functions are the learner's
        sentence: what is translated
        largest_difference: of the logits, NaN where there are none
        first_difference: the first box of figure 1 that returns something else or nothing, in
            words; empty if there is none
        error: what a function raised, or nothing
        translations: by the names of the searches
        expected: npformer's translation
    """

    own: Sequence[str]
    sentence: str
    largest_difference: float
    first_difference: str
    error: str
    translations: Mapping[str, str]
    expected: str

    @property
    def is_equal(self) -> bool:
        """Whether the model does what npformer's does, except for rounding."""
        if self.first_difference or self.error:
            return False
        return all(text == self.expected for text in self.translations.values())

    def lines(self) -> Iterator[Line]:
        """Yield the report."""
        yield from lines_about_parts(self.own, TRANSLATING)
        if not np.isnan(self.largest_difference):
            largest = f"{self.largest_difference:.2g}"
            yield Line("plain", 0, f"Largest difference of the logits from npformer's: {largest}.")
        if self.first_difference:
            yield Line("wrong", 0, f"The first difference is in {self.first_difference}.")
        if self.error:
            yield Line("error", 0, self.error)

        yield Line("title", 0, self.sentence)
        for search, text in self.translations.items():
            style = "right" if text == self.expected else "wrong"
            yield Line(style, 1, f"yours, by {search}: {text}")
        if not self.is_equal:
            yield Line("plain", 1, f"npformer's: {self.expected}")


class _ForwardComparison(NamedTuple):
    largest_difference: float
    first_difference: str
    error: str

    @property
    def is_equal(self) -> bool:
        return not self.first_difference and not self.error


def compare(parts: Mapping[str, Any], sentence: str = SENTENCE) -> ModelComparison:
    """Run the shipped translator on a sentence, without and with a learner's parts.

    Raises `InputError` for a sentence that is empty or too long.
    """
    translator = _shipped_translator()
    model = translator.model
    batch = _batch(translator, sentence)
    [expected] = translator.translate(sentence, beam=1)
    with trace(model) as right:
        model.forward(batch.src, batch.tgt_in)

    # box by box; then with the learner's whole layers, in which npformer's boxes do not run
    boxes = {id: part for id, part in parts.items() if id not in LAYERS}
    forward = _compare_forward(model, batch, boxes, boxes_of_figure_1(model), right)
    if forward.is_equal and len(boxes) < len(parts):
        forward = _compare_forward(model, batch, parts, _whole_layers(model), right)

    if forward.is_equal and CACHE in parts:
        cached = _compare_cached(model, batch, parts, right)
        largest = max(forward.largest_difference, cached.largest_difference)
        forward = cached._replace(largest_difference=largest)

    own = [id for id in MODEL_PARTS if id in parts and id in TRANSLATING]
    translations: dict[str, str] = {}
    error = forward.error
    if not error:
        translations, error = _translations(translator, parts, own, sentence)
    return ModelComparison(
        own,
        sentence,
        forward.largest_difference,
        forward.first_difference,
        error,
        translations,
        expected,
    )


def _compare_forward(
    model: Transformer,
    batch: TranslationBatch,
    parts: Mapping[str, Any],
    boxes: Iterable[tuple[str, str]],
    right: Trace,
) -> _ForwardComparison:
    """Run the model with a learner's parts, and compare some boxes with what is right."""
    error = ""
    # whatever a learner's function raises is shown, with the box in which it happened
    with own_layers(parts), np.errstate(all="ignore"), trace(model) as found:
        try:
            model.forward(batch.src, batch.tgt_in)
        except Exception as raised:
            error = _named(raised)

    first = ""
    for words, name in boxes:
        ids = batch.src if name.startswith("encoder") else batch.tgt_in
        expected = right[name].output
        output = found[name].output if name in found else None
        difference = _largest_difference(output, expected, ids)
        # NaN is not below anything
        if not first and not difference <= TOLERANCE * np.abs(expected).max():
            first = words
    # that of the last box, the generator
    return _ForwardComparison(difference, first, error)


def _compare_cached(
    model: Transformer, batch: TranslationBatch, parts: Mapping[str, Any], right: Trace
) -> _ForwardComparison:
    """Run the decoder with a learner's cache, and compare its boxes with what is right.

    It reads some positions at once, as of a prompt, and then one at a time.
    """
    ids = batch.tgt_in
    n_prompt = min(3, ids.shape[1])
    steps = [slice(0, n_prompt), *(slice(t, t + 1) for t in range(n_prompt, ids.shape[1]))]
    largest = 0.0
    with own_layers(parts), np.errstate(all="ignore"):
        try:
            decoder = CachedDecoder(model, batch.src)
            for step in steps:
                for place, words, output in _boxes_of_step(decoder, ids[:, step]):
                    expected = right[place].output
                    difference = _largest_difference(output, expected[:, step], ids[:, step])
                    if not difference <= TOLERANCE * np.abs(expected).max():
                        return _ForwardComparison(difference, words, "")
                largest = max(largest, difference)  # that of the logits
        except Exception as raised:
            return _ForwardComparison(np.nan, "decoding with the cache", _named(raised))
    return _ForwardComparison(largest, "", "")


def _boxes_of_step(
    decoder: CachedDecoder, tokens: np.ndarray
) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield what each box of the decoder returns for some tokens more: its name, words, output."""
    stack = decoder.model.decoder
    x = stack.input_embedding.forward(tokens, start=decoder.n_steps)
    decoder.n_steps += tokens.shape[1]
    for number, layer in enumerate(decoder.layers):
        for name, words in SUBLAYERS.items():
            context = (decoder.memory_mask,) if name == "cross_attention" else ()
            x = getattr(layer, name).forward(x, *context)
            place = f"decoder.layers.{number}.{name}"
            yield place, f"decoder layer {number}, {words}, with the cache", x
    x = stack.norm.forward(x) if stack.norm else x
    yield GENERATOR[1], GENERATOR[0], decoder.model.generator.forward(x)


def _translations(
    translator: Translator, parts: Mapping[str, Any], own: Sequence[str], sentence: str
) -> tuple[dict[str, str], str]:
    """Return the translations by each search, and what a learner's function raised, or nothing."""
    translations = {}
    with own_layers(parts), np.errstate(all="ignore"):
        try:
            for search, beam in searches(own):
                [translations[search]] = translator.translate(sentence, beam=beam)
        except Exception as raised:
            return translations, _named(raised)
    return translations, ""


def _named(raised: Exception) -> str:
    error = own_error(raised)
    return error.text if error else f"{type(raised).__name__}: {raised}"


def _shipped_translator() -> Translator:
    """Return the translator in float64, in which rounding hides nothing."""
    shipped: Translator = runs.load("phrasebook")
    model = Transformer(replace(shipped.model.config, dtype="float64"))
    model.load_state_dict(shipped.model.state_dict())
    model.eval()
    return Translator(model, *shipped.vocabularies)


def _batch(translator: Translator, sentence: str) -> TranslationBatch:
    """Return a sentence and the shorter one, with their translations."""
    sources = []
    targets = []
    for text in (sentence, COMPANION):
        sources.append(translator.encode(text)[:-1])  # without <eos>, which the batch adds
        [translation] = translator.translate(text, beam=1)
        targets.append(translator.target.encode(translation))
    return TranslationBatch.of(sources, targets)


def searches(own: Sequence[str]) -> list[tuple[str, int]]:
    """Return the searches, the learner's or greedy decoding, and the widths of their beams."""
    searches = []
    if "greedy" in own or "beam" not in own:
        searches.append(("greedy decoding", 1))
    if "beam" in own:
        searches.append(("beam search", 4))
    return searches


def boxes_of_figure_1(model: Transformer) -> Iterator[tuple[str, str]]:
    """Yield the boxes in the order in which data pass: in words, and as the name of a layer."""
    for side in ("encoder", "decoder"):
        yield f"the {side}'s embedding", f"{side}.input_embedding.embedding"
        yield f"the {side}'s positions", f"{side}.input_embedding.positions"
        for number, layer in enumerate(getattr(model, side).layers):
            place = f"{side} layer {number}"
            for name, words in SUBLAYERS.items():
                if hasattr(layer, name):
                    add_norm = f"{side}.layers.{number}.{name}"
                    yield f"{place}, {words}", f"{add_norm}.sublayer"
                    yield f"{place}, Add & Norm after {words}", add_norm
    yield GENERATOR


def _whole_layers(model: Transformer) -> Iterator[tuple[str, str]]:
    """Yield the layers of encoder and decoder, and the generator, as `boxes_of_figure_1` does."""
    for side in ("encoder", "decoder"):
        for number, _ in enumerate(getattr(model, side).layers):
            yield f"{side} layer {number}, as a whole", f"{side}.layers.{number}"
    yield GENERATOR


def _largest_difference(output: Any, expected: np.ndarray, ids: np.ndarray) -> float:
    """Return the largest difference where there is no padding; NaN for another shape."""
    if np.shape(output) != expected.shape:
        return np.nan
    real = ids != PAD
    return float(np.abs(output[real] - expected[real]).max())
