"""The arrays of two recordings, by their place in the code, and how two of them differ."""

import difflib
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

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
        time: Which array of this name and kind in the call of the first recording, from 0; those
            that only the second recording has are counted after them.
    """

    module: str
    function: str
    call: int
    name: str
    kind: str
    time: int


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


def in_percent(share: float) -> str:
    """Return a share in percent, with two digits.

    >>> in_percent(0.0661), in_percent(1.23), in_percent(3.2e-8)
    ('6.6 %', '120 %', '3.2e-06 %')
    """
    return f"{float(f'{100 * share:.2g}'):.6g} %"


@dataclass(frozen=True)
class Difference:
    """An array that differs, or that one of two recordings lacks.

    Arguments:
        place: Where it is made.
        direction: forward, backward or update.
        file: The file of the line.
        line: The number of the line that makes it, in the first recording if that has it. An
            argument with which the difference begins is made by the line that passes it.
        step: The number of the step of this line in the recording that has it, the first if both
            do.
        a: The array in the first recording, or None.
        b: The array in the second recording, or None.
        apart: The largest |a - b|; infinite where the two cannot be subtracted.
        size: `apart` as a part of the largest |a|; infinite where a is 0 or nothing but rounding.
        weight: `apart` as a part of the largest number of a, or of the arguments of its function;
            infinite where a is not there.
        is_rounding: Whether it is so small that rounding alone can have made it.
        is_handed_on: Whether both arrays were there before: a function got or returned them.
        causes: The numbers of the differences that it follows from: none where it begins.
        pair: The place with the array of each recording.
    """

    place: Place
    direction: str
    file: str
    line: int
    step: int
    a: np.ndarray | None
    b: np.ndarray | None
    apart: float
    size: float
    weight: float
    is_rounding: bool
    is_handed_on: bool
    causes: tuple[int, ...]
    pair: Pair

    def __str__(self) -> str:
        where = f"{self.place.module} {self.place.function}, {self.file}:{self.line}"
        return f"{self.place.name} ({where}) {self.how()}"

    @property
    def is_passed(self) -> bool:
        """Whether it is an argument with which the difference begins, in the line of a caller."""
        return self.step != self.pair.found.step

    def how(self) -> str:
        """Say how the two arrays differ."""
        if self.b is None:
            return "is in the first recording only"
        if self.a is None:
            return "is in the second recording only"
        if self.a.shape != self.b.shape:
            return f"has the shapes {self.a.shape} and {self.b.shape}"
        if np.isinf(self.apart):
            return "is not finite in one of the recordings"
        if np.isinf(self.size):
            apart = f"{self.apart:.3g}"
            return f"differs by up to {apart}, and is 0 up to rounding in the first recording"
        share = in_percent(self.size)
        return f"differs by up to {self.apart:.3g}, {share} of its largest entry"


def align(a: StepThrough, b: StepThrough) -> list[Pair]:
    """Return the arrays of two recordings by place, in the order of the first.

    What only the second has stands where it has it.
    """
    in_a = _by_place(a.recorder)
    in_b = _at_places_of(in_a, _by_place(b.recorder))
    in_b = _at_lines_of(in_a, in_b, a.recorder, b.recorder)
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


def _at_places_of(in_a: dict[Place, Found], in_b: dict[Place, Found]) -> dict[Place, Found]:
    """Return the arrays of b, with what a call returns at its place in a.

    A changed line may return the same value by another name.
    """
    returned_in_a = _returned_by_call(in_a)
    returned_in_b = _returned_by_call(in_b)
    places: dict[Place, Place] = {}
    for call, of_call in returned_in_b.items():
        if len(of_call) == len(returned_in_a[call]):
            places.update(zip(of_call, returned_in_a[call], strict=True))
    return {places.get(place, place): found for place, found in in_b.items()}


def _at_lines_of(
    in_a: dict[Place, Found], in_b: dict[Place, Found], a: Recorder, b: Recorder
) -> dict[Place, Found]:
    """Return the arrays of b, with what a line changes at the place of the same line in a.

    Where a changed line changes an array once more, or once less, the lines that both have are
    compared with each other all the same.
    """
    lines_of_a = _lines_by_name(in_a, a)
    times: dict[Place, int] = {}  # in a, by the place in b
    for key, lines_b in _lines_by_name(in_b, b).items():
        lines_a = lines_of_a[key]
        n_more = len(lines_a)
        matcher = difflib.SequenceMatcher(None, lines_a, lines_b, autojunk=False)
        for _, start_a, end_a, start_b, end_b in matcher.get_opcodes():
            for i in range(start_b, end_b):
                # a line in whose place another one is, is compared with that
                time = start_a + i - start_b
                if time >= end_a:
                    time = n_more
                    n_more += 1
                times[key._replace(time=i)] = time
    return {place._replace(time=times[place]): found for place, found in in_b.items()}


def _lines_by_name(places: dict[Place, Found], recorder: Recorder) -> dict[Place, list[str]]:
    """Return for each array of a call the texts of the lines that make or change it, in order.

    The key is the place of the first of them.
    """
    lines: dict[Place, list[str]] = defaultdict(list)
    for place, found in places.items():
        step = recorder.steps[found.step]
        function = recorder.calls[step.call].function
        lines[place._replace(time=0)].append(function.lines[step.line - function.first].strip())
    return lines


def _returned_by_call(places: dict[Place, Found]) -> dict[tuple, list[Place]]:
    """Return the places of what each call returns."""
    returned: dict[tuple, list[Place]] = defaultdict(list)
    for place in places:
        if place.kind == "returned":
            returned[place.module, place.function, place.call].append(place)
    return returned


def paired_calls(a: Recorder, b: Recorder) -> list[tuple[int, int]]:
    """Return the numbers of the calls that are the same in two recordings."""
    numbers_in_b = {}
    for number, (call, visit) in enumerate(zip(b.calls, _visits(b), strict=True)):
        numbers_in_b[call.module, call.function.name, visit] = number

    pairs = []
    for number, (call, visit) in enumerate(zip(a.calls, _visits(a), strict=True)):
        number_in_b = numbers_in_b.get((call.module, call.function.name, visit))
        if number_in_b is not None:
            pairs.append((number, number_in_b))
    return pairs


def _visits(recorder: Recorder) -> list[int]:
    """Return of each call which call of the function it is, from 0."""
    n_calls: Counter = Counter()  # by layer and function
    visits = []
    for call in recorder.calls:
        key = (call.module, call.function.name)
        visits.append(n_calls[key])
        n_calls[key] += 1
    return visits


def _by_place(recorder: Recorder) -> dict[Place, Found]:
    """Return the arrays of a recording in the order in which they are complete."""
    visits = _visits(recorder)
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
