"""Two recordings of an update: which arrays differ, and what follows from what."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ...testing import PlantedBug
from ...utils import AnyPath, write_atomic
from ..stepper import StepThrough
from ..stepper.recorder import Call, Recorder
from ..stepper.step_through import in_frame
from ..viewer.viewer import page_format
from .alignment import Difference, Found, Pair, align
from .page import comparison_page
from .summary import Evidence, rows_of_differences

# |a - b| as a part of the largest number that goes into a line, which rounding alone can make
ROUNDING = {"float32": 2e-6, "float64": 1e-12}


@dataclass(frozen=True)
class Comparison:
    """The arrays that differ between two recordings, in the order in which they are complete.

    Arguments:
        a: The first recording.
        b: The second recording.
        differences: What differs.
        n_arrays: How many arrays were compared.
        bug: What is changed in the second recording, if it is known.
        history: What was before the update, in sentences.
        losses: The losses of a small training: without the bug, with it, and without it from
            another seed.
        gradient_check: What the gradient check says of the bug.
    """

    a: StepThrough
    b: StepThrough
    differences: list[Difference]
    n_arrays: int
    bug: PlantedBug | None = None
    history: str = ""
    losses: tuple[np.ndarray, ...] | None = None
    gradient_check: str = ""

    @property
    def first(self) -> Difference | None:
        """The first difference, None if there is none."""
        return self.differences[0] if self.differences else None

    @property
    def origins(self) -> list[Difference]:
        """The differences that follow from no other."""
        return [difference for difference in self.differences if not difference.causes]

    def __repr__(self) -> str:
        return f"Comparison({self})"

    def __str__(self) -> str:
        if self.first is None:
            text = f"all {self.n_arrays:,} arrays are equal"
            if self.bug is not None:
                text += ": the change does nothing in this update, or acts when a model is made"
            return text
        count = f"{len(self.differences):,} of {self.n_arrays:,} arrays differ"
        return f"{count}; the first: {self.first}; {self.describe_losses()}"

    def describe_losses(self) -> str:
        """Say by how much the losses differ."""
        if self.a.loss == self.b.loss:
            return f"the loss is {self.a.loss:.6g} in both"
        return f"the loss is {self.a.loss:.6g} and {self.b.loss:.6g}"

    def html(self) -> str:
        """Return the page, which asks nothing of the network."""
        evidence = Evidence(
            differences=self.differences,
            n_arrays=self.n_arrays,
            loss_a=self.a.loss,
            loss_b=self.b.loss,
            history=self.history,
            bug=self.bug,
            losses=self.losses,
            gradient_check=self.gradient_check,
        )
        return comparison_page(self.a, self.b, evidence)

    def save(self, path: AnyPath) -> None:
        """Write the page, whole or not at all; the name must end in .html."""
        page_format(path)
        write_atomic(path, self.html())

    def _repr_html_(self) -> str:
        rows = rows_of_differences(self.differences)
        return in_frame(self.html(), "What if this line were wrong?", rows)


def compare_steps(a: StepThrough, b: StepThrough) -> Comparison:
    """Compare two recordings of an update, array by array.

    Arrays are aligned by layer, function, call and name, not by the number of a line, so that the
    code may differ. Two arrays are equal when all their numbers are: what computes the same with
    the same numbers has the same bits.

    Arguments:
        a: A recording of `step_through`.
        b: Another.

    >>> from npformer import Transformer, TransformerConfig, step_through
    >>> from npformer.tasks import Objective, TranslationBatch
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10, dropout=0.0)
    >>> objective = Objective(Transformer(config, rng=0))
    >>> one = step_through(objective, TranslationBatch.of([[4, 5]], [[6]]))
    >>> other = step_through(objective, TranslationBatch.of([[4, 5]], [[7]]))
    >>> compare_steps(one, one).first is None
    True
    >>> compare_steps(one, other).first.place.name
    'tgt'
    """
    pairs = align(a, b)
    causes = _Causes(a.recorder, b.recorder)
    differences: list[Difference] = []
    for pair in pairs:
        if _has_same_content(a, b, pair):
            causes.note(pair, None)
            continue
        array_a = a[pair.a.made] if pair.a else None
        array_b = b[pair.b.made] if pair.b else None
        if _is_equal(array_a, array_b):
            causes.note(pair, None)
            continue

        step_number = pair.found.step
        recorder = a.recorder if pair.a else b.recorder
        step = recorder.steps[step_number]
        call = recorder.calls[step.call]
        own_causes = causes.of(pair)
        apart = _distance(array_a, array_b)
        rounding, largest = _rounding_of(array_a, recorder, call)
        size = _share(apart, array_a, rounding)
        is_rounding = apart <= rounding
        is_handed_on = causes.is_handed_on(pair)
        if is_handed_on:
            # what it is was seen where it was made
            [number] = own_causes
            size = differences[number].size
            is_rounding = differences[number].is_rounding
        elif call.direction == "update":
            # Adam divides a gradient by its size, and makes whole steps of one that is rounding
            found = [differences[number].is_rounding for number in own_causes]
            is_rounding = bool(found) and all(found)
        if pair.place.kind == "argument" and not own_causes:
            # it begins in the line that passes the argument
            caller = calling_step(recorder, step.call)
            if caller is not None:
                step_number = caller
        line_step = recorder.steps[step_number]
        difference = Difference(
            place=pair.place,
            direction=call.direction,
            file=recorder.calls[line_step.call].function.file,
            line=line_step.line,
            step=step_number,
            a=array_a,
            b=array_b,
            apart=apart,
            size=size,
            weight=apart / largest if largest else np.inf,
            is_rounding=is_rounding,
            is_handed_on=is_handed_on,
            causes=own_causes,
            pair=pair,
        )
        causes.note(pair, len(differences))
        differences.append(difference)
    return Comparison(a, b, differences, len(pairs))


def _has_same_content(a: StepThrough, b: StepThrough, pair: Pair) -> bool:
    """Return whether both arrays are there with the same numbers in the same order of memory."""
    if pair.a is None or pair.b is None:
        return False
    key_a = a.recorder.arrays.key(pair.a.made.number)
    key_b = b.recorder.arrays.key(pair.b.made.number)
    return key_a == key_b


def _is_equal(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    """Return whether two arrays have the same type and the same numbers."""
    if a is None or b is None or a.dtype != b.dtype:
        return False
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def _distance(a: np.ndarray | None, b: np.ndarray | None) -> float:
    """Return the largest |a - b|, infinite where it is no number."""
    if a is None or b is None or a.shape != b.shape:
        return np.inf
    # masked scores are -inf in both
    differs = a != b
    with np.errstate(all="ignore"):
        distances = np.abs(a[differs].astype(float) - b[differs].astype(float))
    apart = float(distances.max(initial=0.0))
    return np.inf if np.isnan(apart) else apart


def _share(apart: float, a: np.ndarray | None, rounding: float) -> float:
    """Return a distance as a part of the largest |a|, infinite if a is 0 or only rounding."""
    if a is None or np.isinf(apart):
        return np.inf
    largest = _largest(a)
    # the same numbers of another type are 0 apart, and differ
    if largest == 0 or largest <= rounding < apart:
        return np.inf
    return max(apart / largest, np.finfo(float).tiny)


def _rounding_of(a: np.ndarray | None, recorder: Recorder, call: Call) -> tuple[float, float]:
    """Return how far rounding alone can move an array that a call makes.

    Returns also the largest number of the array and of what goes into it.

    What sums to 0, such as the gradient of the bias of the keys, is as large as the rounding of
    what goes into it: of the arguments of the function. A loss in float64 that is computed from
    logits in float32 has their rounding.
    """
    if a is None or a.dtype.name not in ROUNDING:
        return 0.0, 0.0 if a is None else _largest(a)
    part = ROUNDING[a.dtype.name]
    largest = _largest(a)
    for made in recorder.steps[call.first].made:
        array = recorder.arrays[made.number]
        if made.kind == "argument" and array.dtype.name in ROUNDING:
            part = max(part, ROUNDING[array.dtype.name])
            largest = max(largest, _largest(array))
    return part * largest, largest


def _largest(array: np.ndarray) -> float:
    """Return the largest |entry| that is finite."""
    sizes = np.abs(array[np.isfinite(array)])
    return float(sizes.max(initial=0.0))


class _Causes:
    """From which differences another one follows.

    The differences are noted in order, each after its causes were asked for.
    """

    def __init__(self, a: Recorder, b: Recorder):
        self.a = a
        self.b = b
        self.same: dict[tuple, int] = {}  # the last difference with the same two arrays
        # by the recording first: its lines may read what the other does not have
        self.named: dict[tuple, int | None] = {}  # the last one of a call with a name
        self.returned: dict[tuple, list[int]] = defaultdict(list)  # by the step of the call
        self.gradients: dict[str, int] = {}  # by the name of the parameter

    def of(self, pair: Pair) -> tuple[int, ...]:
        """Return the numbers of the differences from which this one follows, in order."""
        place = pair.place
        if self.is_handed_on(pair):
            return (self.same[self._contents(pair)],)
        causes: set[int] = set()
        for recorder, found in self._recordings_with(pair):
            step = recorder.steps[found.step]
            call = recorder.calls[step.call]
            if call.direction == "update" and place.name in self.gradients:
                return (self.gradients[place.name],)

            number: int | None = found.step
            if place.kind == "argument":
                # what the line reads that calls the function
                number = calling_step(recorder, step.call)
            if number is not None:
                causes |= self._read_in(recorder, number)
        return tuple(sorted(causes))

    def is_handed_on(self, pair: Pair) -> bool:
        """Return whether both arrays were there before.

        That is so of an argument, of what a function returned, and of what was remembered. A
        gradient is changed where it is: if it is equal to another array, that is by chance.
        """
        return pair.place.kind != "gradient" and self._contents(pair) in self.same

    def note(self, pair: Pair, number: int | None) -> None:
        """Note a difference by its number, None where both arrays are equal."""
        place = pair.place
        for recorder, found in self._recordings_with(pair):
            call_number = recorder.steps[found.step].call
            is_of_a = recorder is self.a
            if place.kind not in ("returned", "remembered"):
                self.named[is_of_a, call_number, place.name] = number
            caller = calling_step(recorder, call_number)
            if number is not None and place.kind == "returned":
                self.returned[is_of_a, caller].append(number)
        if number is None:
            return

        if place.kind == "gradient":
            self.gradients[f"{place.module}.{place.name}".removesuffix(".grad")] = number
        else:
            self.same[self._contents(pair)] = number

    def _read_in(self, recorder: Recorder, number: int) -> set[int]:
        """Return the numbers of the differences that the line of a step reads."""
        step = recorder.steps[number]
        call = recorder.calls[step.call]
        is_of_a = recorder is self.a
        found = set(self.returned[is_of_a, number])
        for name in call.function.read.get(step.line, ()):
            cause = self.named.get((is_of_a, step.call, name))
            if cause is not None:
                found.add(cause)
        return found

    def _recordings_with(self, pair: Pair) -> list[tuple[Recorder, Found]]:
        """Return the recordings that have an array of this place, each with the array."""
        both = ((self.a, pair.a), (self.b, pair.b))
        return [(recorder, found) for recorder, found in both if found]

    def _contents(self, pair: Pair) -> tuple:
        return (pair.a and pair.a.made.number, pair.b and pair.b.made.number)


def calling_step(recorder: Recorder, call_number: int) -> int | None:
    """Return the number of the step that called a function, None for the outermost."""
    call = recorder.calls[call_number]
    if call.parent is None:
        return None
    number = call.first - 1
    while recorder.steps[number].call != call.parent:
        number = recorder.calls[recorder.steps[number].call].first - 1
    return number
