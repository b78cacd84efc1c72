"""Two recordings of an update: which arrays differ, and what follows from what."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...testing import PlantedBug
from ..stepper import StepThrough
from ..stepper.recorder import MadeArray, Recorder


class Place(NamedTuple):
    """Where an array is made. It is the same in two recordings, whatever the line's number is.

    Arguments:
        module: The name of the layer.
        function: The name of its function.
        call: Which call of the function, from 0.
        name: The name of the array.
        kind: What it is, as in `MadeArray`.
        time: Which array of this name and kind in the call, from 0.
    """

    module: str
    function: str
    call: int
    name: str
    kind: str
    time: int


@dataclass(frozen=True)
class Difference:
    """An array that differs, or that one of two recordings lacks.

    Arguments:
        place: Where it is made.
        direction: forward, backward or update.
        file: The file of the line.
        line: The number of the line that makes it, in the first recording if that has it.
        step: The number of its step in the recording that has it, the first if both do.
        a: The array in the first recording, or None.
        b: The array in the second recording, or None.
        size: The largest |a - b|, as a part of the largest |a|; infinite where the two cannot be
            subtracted.
        causes: The numbers of the differences that it follows from: none where it begins.
    """

    place: Place
    direction: str
    file: str
    line: int
    step: int
    a: np.ndarray | None
    b: np.ndarray | None
    size: float
    causes: tuple[int, ...]

    def __str__(self) -> str:
        where = f"{self.place.module} {self.place.function}, {self.file}:{self.line}"
        return f"{self.place.name} ({where}) {self._how()}"

    def _how(self) -> str:
        if self.b is None:
            return "is in the first recording only"
        if self.a is None:
            return "is in the second recording only"
        if self.a.shape != self.b.shape:
            return f"has the shapes {self.a.shape} and {self.b.shape}"
        return f"differs by {self.size:.2g} of its largest entry"


@dataclass(frozen=True)
class Comparison:
    """The arrays that differ between two recordings, in the order in which they are complete.

    Arguments:
        a: The first recording.
        b: The second recording.
        differences: What differs.
        n_arrays: How many arrays were compared.
        bug: What is changed in the second recording, if it is known.
        losses: The losses of a small training without and with the bug.
        gradient_check: What the gradient check says of the bug.
    """

    a: StepThrough
    b: StepThrough
    differences: list[Difference]
    n_arrays: int
    bug: PlantedBug | None = None
    losses: tuple[np.ndarray, np.ndarray] | None = None
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
            return f"all {self.n_arrays:,} arrays are equal"
        count = f"{len(self.differences):,} of {self.n_arrays:,} arrays differ"
        return f"{count}; the first: {self.first}; {self.describe_losses()}"

    def describe_losses(self) -> str:
        """Say by how much the losses differ."""
        if self.a.loss == self.b.loss:
            return f"the loss is {self.a.loss:.6g} in both"
        return f"the loss is {self.a.loss:.6g} and {self.b.loss:.6g}"


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
    pairs = _aligned(a, b)
    causes = _Causes(a.recorder, b.recorder)
    differences: list[Difference] = []
    for pair in pairs:
        array_a = a[pair.a.made] if pair.a else None
        array_b = b[pair.b.made] if pair.b else None
        size = _size(array_a, array_b)
        if size == 0:
            causes.note(pair, None)
            continue

        step_number = pair.found.step
        recorder = a.recorder if pair.a else b.recorder
        step = recorder.steps[step_number]
        call = recorder.calls[step.call]
        difference = Difference(
            place=pair.place,
            direction=call.direction,
            file=call.function.file,
            line=step.line,
            step=step_number,
            a=array_a,
            b=array_b,
            size=size,
            causes=causes.of(pair),
        )
        causes.note(pair, len(differences))
        differences.append(difference)
    return Comparison(a, b, differences, len(pairs))


class Found(NamedTuple):
    """An array of a recording: the number of its step, and the array."""

    step: int
    made: MadeArray


class Pair(NamedTuple):
    """A place, and the array that is there in each recording, or None."""

    place: Place
    a: Found | None
    b: Found | None

    @property
    def found(self) -> Found:
        """The array in the first recording that has it."""
        found = self.a or self.b
        assert found is not None
        return found


def _aligned(a: StepThrough, b: StepThrough) -> list[Pair]:
    """Return the arrays of two recordings by place, in the order of the first.

    What only the second has stands where it has it.
    """
    in_a = _by_place(a.recorder)
    in_b = _by_place(b.recorder)
    only_b: dict[Place | None, list[Place]] = defaultdict(list)  # by the place before them
    before = None
    for place in in_b:
        if place in in_a:
            before = place
        else:
            only_b[before].append(place)

    pairs = [Pair(place, None, in_b[place]) for place in only_b[None]]
    for place, found in in_a.items():
        pairs.append(Pair(place, found, in_b.get(place)))
        pairs += [Pair(other, None, in_b[other]) for other in only_b[place]]
    return pairs


def _by_place(recorder: Recorder) -> dict[Place, Found]:
    """Return the arrays of a recording in the order in which they are complete."""
    n_calls: Counter = Counter()  # by layer and function
    visits = []
    for call in recorder.calls:
        key = (call.module, call.function.name)
        visits.append(n_calls[key])
        n_calls[key] += 1

    # a line that calls a layer begins before the lines of that layer, and has its array after them
    numbers = sorted(range(len(recorder.steps)), key=lambda i: (recorder.steps[i].done, i))
    n_made: Counter = Counter()  # by everything but the time
    places = {}
    for number in numbers:
        step = recorder.steps[number]
        call = recorder.calls[step.call]
        for made in step.made:
            key = (call.module, call.function.name, visits[step.call], made.name, made.kind)
            places[Place(*key, n_made[key])] = Found(number, made)
            n_made[key] += 1
    return places


def _size(a: np.ndarray | None, b: np.ndarray | None) -> float:
    """Return the largest |a - b| as a part of the largest |a|, 0 only if nothing differs."""
    if a is None or b is None or a.shape != b.shape:
        return np.inf
    if a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
        return 0.0

    with np.errstate(all="ignore"):
        apart = np.abs(a.astype(float) - b.astype(float)).max()
        size = apart / np.abs(a.astype(float)).max()
    if np.isnan(size):
        return np.inf
    # another type with the same numbers, or rounding below the smallest number
    return max(float(size), np.finfo(float).tiny)


class _Causes:
    """From which differences another one follows.

    The differences are noted in order, each after its causes were asked for.
    """

    def __init__(self, a: Recorder, b: Recorder):
        self.a = a
        self.b = b
        self.same: dict[tuple, int] = {}  # the last difference with the same two arrays
        self.named: dict[tuple, int | None] = {}  # the last one of a call with a name
        self.returned: dict[tuple, list[int]] = defaultdict(list)  # by the step of the call
        self.gradients: dict[str, int] = {}  # by the name of the parameter

    def of(self, pair: Pair) -> tuple[int, ...]:
        """Return the numbers of the differences from which this one follows, in order."""
        place, found = pair.place, pair.found
        # the same array as before: an argument, what a function returned, what was remembered
        if self._contents(pair) in self.same:
            return (self.same[self._contents(pair)],)
        recorder = self._recorder(pair)
        step = recorder.steps[found.step]
        call = recorder.calls[step.call]
        if call.direction == "update" and place.name in self.gradients:
            return (self.gradients[place.name],)

        number = found.step
        if place.kind == "argument":
            # what the line reads that calls the function
            number = _calling_step(recorder, step.call)
            if number is None:
                return ()
            step = recorder.steps[number]
            call = recorder.calls[step.call]
        causes = set()
        for name in call.function.read.get(step.line, ()):
            causes.add(self.named.get((pair.a is None, step.call, name)))
        causes.update(self.returned[pair.a is None, number])
        causes.discard(None)
        return tuple(sorted(causes))

    def note(self, pair: Pair, number: int | None) -> None:
        """Note a difference by its number, None where both arrays are equal."""
        place, found = pair.place, pair.found
        recorder = self._recorder(pair)
        call_number = recorder.steps[found.step].call
        if place.kind not in ("returned", "remembered"):
            self.named[pair.a is None, call_number, place.name] = number
        if number is None:
            return

        self.same[self._contents(pair)] = number
        if place.kind == "gradient":
            self.gradients[f"{place.module}.{place.name}".removesuffix(".grad")] = number
        caller = _calling_step(recorder, call_number)
        if place.kind == "returned" and caller is not None:
            self.returned[pair.a is None, caller].append(number)

    def _recorder(self, pair: Pair) -> Recorder:
        return self.a if pair.a else self.b

    def _contents(self, pair: Pair) -> tuple:
        return (pair.a and pair.a.made.number, pair.b and pair.b.made.number)


def _calling_step(recorder: Recorder, call_number: int) -> int | None:
    """Return the number of the step that called a function, None for the outermost."""
    call = recorder.calls[call_number]
    if call.parent is None:
        return None
    number = call.first - 1
    while recorder.steps[number].call != call.parent:
        number = recorder.calls[recorder.steps[number].call].first - 1
    return number
