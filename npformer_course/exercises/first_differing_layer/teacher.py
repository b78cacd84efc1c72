"""How the answers to first_differing_layer are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import first_differing_layer_slowly

CASES = (
    "where all layers from one on differ",
    "where rounding is all that differs",
    "where the layer with the smallest numbers differs",
    "where a single entry differs",
    "where the first layer differs",
    "where ours is larger everywhere",
    "where the last layer alone differs",
    "where theirs is all zeros and ours is not",
)
SHAPES = (
    "where a column is missing",
    "where the same numbers are in one row",
    "where the same numbers have an axis more",
    "where a layer below differs by its numbers",
)


def inputs(draw, N, T, D):
    """Draw the outputs of N + 4 layers, some with large numbers and some with small ones, and others.

    Layer 1 has small numbers, layer 2 zeros, the second last the largest; those of the last are
    negative, and it has an axis more.
    """
    N = max(N, 2) + 4
    T = max(T, 2)
    D = max(D, 3)
    # once so small that whatever is added to it shows
    exponent = draw.uniform(-6.5, -6.1) if draw.lowest else draw.uniform(-2.5, -1.7)
    tolerance = 10**exponent
    scales = np.exp(draw.rng.uniform(-1, 1, N))
    scales[1] = 0.01
    scales[2] = 0.0
    scales[-2] = 300.0
    place = int(draw.rng.integers(3, N - 2))

    theirs = []
    rounded = []
    for n, scale in enumerate(scales):
        array = draw.normal(T, D)
        if n in (0, place):  # no number near 0, so that it agrees entry by entry too
            array = draw.rng.uniform(0.7, 0.9, (T, D)) * signs(draw, (T, D))
        if n == place:
            array[-1, -1] = 1
        if n == N - 2:
            array[0, 0] = -1.2 * np.abs(array).max()
        if n == N - 1:
            array = -draw.rng.uniform(0.8, 1, (T, D, 1))
        array *= scale / np.abs(array).max()
        theirs.append(array)
        rounded.append(array + 0.2 * tolerance * scale * signs(draw, array.shape))

    def apart(layers, times):
        """Return ours with some layers further apart than the tolerance."""
        ours = [array.copy() for array in rounded]
        for n in layers:
            # the second last is furthest apart: neither the first nor the last
            more = 2 * times if n == N - 2 else times
            ours[n] = theirs[n] + more * tolerance * scales[n] * signs(draw, theirs[n].shape)
        return ours

    # nearly as much as may be: the largest number of `place` grows by that, and that of the second
    # last, which is below 0, shrinks
    nearly = apart([], 0)
    for n in (place, N - 2):
        nearly[n] = theirs[n].copy()
        nearly[n][0, 0] += (1 - tolerance / 4) * tolerance * scales[n]
    # in two rows, and twice in one
    nearly[place][[0, -1], -1] += (1 - tolerance / 4) * tolerance * scales[place]
    smallest = apart([], 0)
    smallest[1] = theirs[1] - 4 * tolerance * scales[1]
    smallest[1][0, 0] = theirs[1][0, 0]
    single = apart([], 0)
    single[place][-1, 0] = theirs[place][-1, 0] + 1.4 * tolerance * scales[place]
    # so little that it would not count relative to ours
    larger = apart([], 0)
    larger[place] = theirs[place] + (1 + tolerance / 4) * tolerance * scales[place]
    opposite = apart(range(N), 2)
    opposite[0] = -theirs[0]
    not_zeros = apart([], 0)
    not_zeros[2] = theirs[2].copy()
    not_zeros[2][0, -1] = tolerance / 2
    return {
        "theirs": theirs,
        "each_ours": [
            apart(range(place, N), 2),
            nearly,
            smallest,
            single,
            opposite,
            larger,
            [*theirs[:-1], 1.1 * theirs[-1]],
            not_zeros,
        ],
        "each_reshaped": reshaped(draw, theirs),
        "tolerance": tolerance,
    }


def reshaped(draw, theirs):
    """Return others in which a layer has another shape."""
    row, more = (int(n) for n in 2 + draw.rng.permutation(len(theirs) - 2)[:2])
    each_reshaped = [list(theirs) for _ in SHAPES]
    # of three axes, so that neither the first nor the last differs
    each_reshaped[0][-1] = theirs[-1][:, 1:]
    each_reshaped[1][row] = theirs[row].reshape(1, theirs[row].size)
    each_reshaped[2][more] = theirs[more][None]
    each_reshaped[3][-3] = theirs[-3] + np.abs(theirs[-2]).max() * signs(draw, theirs[-3].shape)
    each_reshaped[3][-2] = theirs[-2][None]
    each_reshaped[3][-1] = 2 * theirs[-1]
    return each_reshaped


def signs(draw, shape):
    """Return an array of 1 and -1, both of them in it."""
    array = draw.rng.choice([-1.0, 1.0], shape)
    array.flat[:2] = [1, -1]
    return array


def each(function, theirs, each_ours, tolerance):
    found = [function(theirs, ours, tolerance) for ours in each_ours]
    if any(one is None for one in found):
        return None
    return np.array(found)


def of_each(student, theirs, each_ours, tolerance):
    return each(student.first_differing_layer, theirs, each_ours, tolerance)


def of_shapes(student, theirs, each_reshaped, tolerance):
    return each(student.first_differing_layer, theirs, each_reshaped, tolerance)


def each_slowly(theirs, each_ours, tolerance):
    return each(first_differing_layer_slowly, theirs, each_ours, tolerance)


def shapes_slowly(theirs, each_reshaped, tolerance):
    return each(first_differing_layer_slowly, theirs, each_reshaped, tolerance)


EXERCISE = Exercise(
    minutes=15,
    difficulty=1,
    importance=2,
    needs=("numpy",),
    inputs=inputs,
    calls=[
        Call(of_each, {"first layer": 4}),
        Call(of_shapes, {"first layer of another shape": 1}),
    ],
    axes={"first layer": CASES, "first layer of another shape": SHAPES},
    slow={"of_each": each_slowly, "of_shapes": shapes_slowly},
    prediction=Prediction(
        "Layer 3 of an import computes GELU where the original has ReLU. In which layers do the "
        "outputs differ?",
        {
            "a": "in layer 3 only",
            "b": "in layer 3 and all that read from it, so in nearly all after it",
            "c": "in all layers, because the parameters were trained together",
        },
        answer="b",
        because=(
            "A layer that computes correctly from a wrong input has a wrong output. So the layer "
            "with the largest difference is often far from the cause, and the first one is not."
        ),
    ),
    hints=[
        "Go through the layers from the bottom up, and return from within the loop as soon as one "
        "differs. What is left to return after the loop?",
        "Two numbers per layer are enough: the largest absolute difference and the largest absolute "
        "value of theirs. Can you subtract arrays of different shapes?",
        "Compare the shapes first. Then compare the largest difference with the tolerance times the "
        "scale of this layer, not of the whole model, and not entry by entry.",
    ],
)
