"""The shipped translator, to be compared with a model that a notebook builds from functions."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FunctionType
from typing import Any
from unittest.mock import patch

import numpy as np

import npformer as npf
from npformer.tasks import TranslationBatch
from npformer.text import PAD
from npformer_course.student.short_message import RIGHT, UNWRITTEN, WRONG, headline
from npformer_course.student.stand_ins import MARK, SOURCE, run_hidden, students_own
from npformer_course.words import counted

from .course_sentence import COLUMNS, SHIPPED, CourseSentence

# next to the course's sentence it has padding
SHORT_PAIR = ("The dog sleeps.", "Der Hund schläft.")
N_LAYERS = 2  # in each stack
N_HEADS = 4
EPS = 1e-6  # of LayerNorm
TOLERANCE = 1e-8  # right answers differ by rounding, about 1e-14
WRONG_BOX = (
    "Given the arrays of decoder layer 0 it computes something else than npformer. Of what are the "
    "queries made, of what the keys and values, and which mask is theirs? What is around the box?"
)
STAND_INS = """
def decoder_layer(x, memory, self_mask, cross_mask, w, n_heads):
    u = first_box(x, self_mask, w, n_heads)
    found = multi_head(u, memory, cross_mask, part_of(w, "cross_attention.sublayer"), n_heads)
    v = norm(u + found, part_of(w, "cross_attention.norm"))
    return last_box(v, w)


def encode(src):
    x = add_positions(embed(src, table), positions, 0)
    for n in range(N):
        w = part_of(W, f"encoder.layers.{n}")
        x = encoder_layer(x, padding_mask(src, PAD), w, H)
    return x


def logits(tgt, memory, memory_mask):
    x = add_positions(embed(tgt, table), positions, 0)
    for n in range(N):
        w = part_of(W, f"decoder.layers.{n}")
        x = decoder_layer(x, memory, target_mask(tgt, PAD), memory_mask, w, H)
    return x @ table.T
"""


class LibraryModel:
    """The translator that ships, in float64, where rounding hides no mistake.

        weights  its 85 arrays by name
        english  the vocabulary that makes ids of a sentence
        german   the vocabulary that makes a sentence of ids
        src      ids (2, 10): the course's sentence, and a shorter one with padding
        tgt      ids (2, 10): what the decoder reads of their translations
        logits   (2, 10, 825): what npformer makes of them

    >>> library = LibraryModel()
    >>> library.weights["encoder.layers.0.self_attention.sublayer.w_query.weight"].shape
    (64, 64)
    >>> library.src[1]
    array([  5, 252, 449,   4,   3,   0,   0,   0,   0,   0])
    """

    def __init__(self) -> None:
        shipped = npf.load(SHIPPED)
        model = npf.Transformer(replace(shipped.model.config, dtype="float64"))
        model.load_state_dict(shipped.model.state_dict())
        model.eval()
        self.weights = model.state_dict()
        self.english = shipped.source
        self.german = shipped.target

        long = CourseSentence().batch
        source, target = SHORT_PAIR
        batch = TranslationBatch.of(
            [long.src[0, :-1].tolist(), self.english.encode(source)],  # <eos> is added to both
            [long.tgt_in[0, 1:].tolist(), self.german.encode(target)],  # and <bos>
        )
        self.src = batch.src
        self.tgt = batch.tgt_in
        with npf.trace(model) as self._trace:
            self.logits = model.forward(self.src, self.tgt)

    def check(self, function: Callable) -> Callable:
        """Compare a function with the library's, and return what to continue with.

        That is the learner's function where it is right, and one of npformer's where it is wrong or
        not written yet. A message says which, and for a wrong one which layer is the first that
        differs.

        Arguments:
            function: encode(src) or logits(tgt, memory, memory_mask), which calls `encoder_layer`
                or `decoder_layer` for each layer; or decoder_layer itself
        """
        function = students_own(function)
        name = function.__name__
        if name == "decoder_layer":
            return self._check_decoder_layer(function)
        if name == "encode":
            side = "encoder"
            ids = self.src
            arguments = [self.src]
            expected = self._memory
        else:
            side = "decoder"
            ids = self.tgt
            arguments = [self.tgt, self._memory, (self.src != PAD)[:, None]]
            expected = self.logits

        calls: list[tuple[Any, Any]] = []
        with _recorded(function.__globals__, f"{side}_layer", calls):
            result, error = _called(function, arguments)
        reason = error
        if result is not ... and not _is_close(result, expected, ids):
            reason = self._first_difference(side, calls, ids)
        return _continued(function, result, reason)

    def _check_decoder_layer(self, function: Callable) -> Callable:
        """Compare a decoder layer with the library's layer 0."""
        x = self._trace["decoder.input_embedding"].output
        n_positions = self.tgt.shape[1]
        not_ahead = np.tri(n_positions, dtype=bool)
        self_mask = (self.tgt != PAD)[:, None] & not_ahead
        cross_mask = (self.src != PAD)[:, None]
        w = part_of(self.weights, "decoder.layers.0")
        arguments = [x, self._memory, self_mask, cross_mask, w, N_HEADS]
        result, error = _called(function, arguments)
        reason = error
        if result is not ... and not _is_close(
            result, self._trace["decoder.layers.0"].output, self.tgt
        ):
            reason = WRONG_BOX
        return _continued(function, result, reason)

    def exchanged(self) -> dict[str, np.ndarray]:
        """Return the weights with the two layers of the encoder in the wrong order."""
        weights = dict(self.weights)
        for name in part_of(self.weights, "encoder.layers.0"):
            weights[f"encoder.layers.0.{name}"] = self.weights[f"encoder.layers.1.{name}"]
            weights[f"encoder.layers.1.{name}"] = self.weights[f"encoder.layers.0.{name}"]
        return weights

    @property
    def _memory(self) -> np.ndarray:
        return self._trace["encoder"].output

    def _first_difference(self, side: str, calls: list[tuple[Any, Any]], ids: np.ndarray) -> str:
        """Return in words where a wrong result differs first, by the calls of the layers."""
        passed_on = self._trace[f"{side}.input_embedding"].output
        for n, (x, y) in enumerate(calls[:N_LAYERS]):
            if not _is_close(x, passed_on, ids):
                source = f"the result of layer {n - 1}" if n else "embedding plus positions"
                return f"The first difference is in the x of layer {n}, which should be {source}."
            passed_on = self._trace[f"{side}.layers.{n}"].output
            if not _is_close(y, passed_on, ids):
                return (
                    f"The first difference is in layer {n}. Its x is right: what else does it get?"
                )
        if len(calls) != N_LAYERS:
            called = counted(len(calls), "time")
            return f"{side}_layer was called {called}. The {side} has {N_LAYERS} layers."
        return "All layers are right. Look at what is returned."


def part_of(w: Mapping[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    """Return the arrays of w whose names begin with `name` and a dot, without this beginning.

    >>> part_of({"norm.gain": np.ones(2), "norm.bias": np.zeros(2)}, "norm")
    {'gain': array([1., 1.]), 'bias': array([0., 0.])}
    """
    start = f"{name}."
    return {key.removeprefix(start): w[key] for key in w if key.startswith(start)}


def by_name(layer_norm: Callable, feed_forward: Callable) -> tuple[Callable, Callable]:
    """Return norm(x, w) and network(x, w): two of the learner's functions, with arrays by name."""

    def norm(x: np.ndarray, w: Mapping[str, np.ndarray]) -> np.ndarray:
        y, _, _ = layer_norm(x, w["gain"], w["bias"], EPS)
        return y

    def network(x: np.ndarray, w: Mapping[str, np.ndarray]) -> np.ndarray:
        first = w["linear_1.weight"], w["linear_1.bias"]
        second = w["linear_2.weight"], w["linear_2.bias"]
        y, _ = feed_forward(x, *first, *second)
        return y

    return norm, network


def first_and_last_box(
    multi_head: Callable, norm: Callable, network: Callable
) -> tuple[Callable, Callable]:
    """Return the boxes of an encoder layer, of the learner's functions.

    They are first_box(x, mask, w, n_heads), self-attention with Add & Norm, and last_box(v, w), the
    network with Add & Norm. What is not written yet, `...`, passes through the last one.
    """

    def first_box(x: Any, mask: Any, w: Mapping[str, np.ndarray], n_heads: int) -> Any:
        found = multi_head(x, x, mask, part_of(w, "self_attention.sublayer"), n_heads)
        return norm(x + found, part_of(w, "self_attention.norm"))

    def last_box(v: Any, w: Mapping[str, np.ndarray]) -> Any:
        if v is ...:
            return v
        found = network(v, part_of(w, "feed_forward.sublayer"))
        return norm(v + found, part_of(w, "feed_forward.norm"))

    return first_box, last_box


@contextmanager
def _recorded(names: dict[str, Any], layer: str, calls: list[tuple[Any, Any]]) -> Iterator[None]:
    """Note the x and the result of each call of a notebook's function."""
    original = names[layer]

    def noted(x: Any, *others: Any, **named: Any) -> Any:
        y = original(x, *others, **named)
        calls.append((x, y))
        return y

    with patch.dict(names, {layer: noted}):
        yield


def _continued(function: Callable, result: Any, reason: str) -> Callable:
    """Print what was found, and return the function with which the notebook continues.

    Arguments:
        function: the learner's
        result: what it gave, `...` for nothing
        reason: why it is wrong, empty where it is right or not written yet
    """
    name = function.__name__
    if reason:
        print(headline({name: WRONG}))
        print(textwrap.fill(reason, COLUMNS, initial_indent="  ", subsequent_indent="  "))
        return _stand_in(function)
    if result is ...:
        print(headline({name: UNWRITTEN}))
        return _stand_in(function)
    print(headline({name: RIGHT}))
    return function


def _called(function: Callable, arguments: Sequence[Any]) -> tuple[Any, str]:
    """Return the result of a learner's function, and what it raised; `...` for no result."""
    try:
        result = function(*arguments)
    except NotImplementedError:
        return ..., ""
    except Exception as error:  # whatever it is, it is shown
        return ..., f"{type(error).__name__}: {error}"
    return (... if result is None else result), ""


def _is_close(got: Any, expected: np.ndarray, ids: np.ndarray) -> bool:
    """Return whether an array is as expected where there is no padding."""
    try:
        got = np.asarray(got, float)
    except (TypeError, ValueError):
        return False
    if got.shape != expected.shape:
        return False
    real = ids != PAD
    return bool(np.allclose(got[real], expected[real], rtol=0, atol=TOLERANCE))


def _stand_in(function: Callable) -> Callable:
    """Return npformer's function of this name, which calls what the notebook defines."""
    name = function.__name__
    code = run_hidden(STAND_INS)[name].__code__
    own = FunctionType(code, function.__globals__, name)
    setattr(own, MARK, function)
    return own


def own_functions(names: Mapping[str, Any]) -> list[str]:
    """Return which names of a notebook are functions that the learner wrote."""
    own = []
    for name, value in names.items():
        if not isinstance(value, FunctionType) or value.__module__ == __name__:
            continue
        if value.__code__.co_filename != SOURCE:
            own.append(name)
    return own
