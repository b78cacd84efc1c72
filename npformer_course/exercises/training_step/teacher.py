"""How the answers to training_step are checked."""

import math

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import Adam, TinyModel, cross_entropy, training_step, training_step_slowly


def inputs(draw, B, T, D, V):
    """Draw a model and three batches, and four limits.

    One is below the length of each gradient, one far above, one a little above, and one a little
    below that of the first.
    """
    V = max(V, 2)
    batches = np.stack([draw.ids(B, T + 1, vocab_size=V) for _ in range(3)])
    arrays = {
        "table": draw.normal(V, D),
        "weight": draw.normal(D, D) / math.sqrt(D),
        "bias": draw.normal(D),
    }
    rates = draw.rng.uniform(0.1, 0.2, 3)
    eps = float(draw.rng.uniform(0.1, 0.3))  # large, so that the gradient's length shows
    lengths = lengths_of_gradients(arrays, batches, rates, eps, np.inf)
    longest = max(lengths)
    small = 0.3 * longest
    while min(lengths_of_gradients(arrays, batches, rates, eps, small)) < 1.5 * small:
        small /= 2
    return {
        **arrays,
        "batches": batches,
        "rates": rates,
        "eps": eps,
        "small": small,
        "large": 20 * max(longest, longest**2),
        "near": 1.2 * longest,  # mostly below the square of the longest gradient's length
        "below": 0.999 * lengths[0],  # mostly above the length of each parameter's part
    }


def lengths_of_gradients(arrays, batches, rates, eps, limit):
    """Return how long the gradient of each batch is, before it is clipped."""
    model = TinyModel(**arrays)
    optimizer = Adam(model.parameters(), eps)
    lengths = []
    for ids, lr in zip(batches, rates, strict=True):
        model.zero_grad()
        _, dlogits = cross_entropy(model.forward(ids[:, :-1]), ids[:, 1:])
        model.backward(dlogits)
        lengths.append(length_of_gradient(model.parameters()))
        training_step(model, optimizer, ids, limit, lr)
    return lengths


def length_of_gradient(parameters):
    """Return the length of the gradient of all parameters together."""
    squares = 0.0
    for parameter in parameters:
        squares += float((parameter.grad**2).sum())
    return math.sqrt(squares)


def three_updates(step, model, optimizer, batches, rates, max_norm):
    """Return the losses, None where one is, and all parameters end to end."""
    losses = []
    for ids, lr in zip(batches, rates, strict=True):
        losses.append(step(model, optimizer, ids, max_norm, float(lr)))
    parameters = np.concatenate([p.data.reshape(-1) for p in model.parameters()])
    if any(loss is None for loss in losses):
        return None, parameters
    return np.array(losses, parameters.dtype), parameters


def clipped(student, table, weight, bias, batches, rates, eps, small):
    model = student.TinyModel(table, weight, bias)
    optimizer = student.Adam(model.parameters(), eps)
    return three_updates(student.training_step, model, optimizer, batches, rates, small)


def unclipped(student, table, weight, bias, batches, rates, eps, large):
    model = student.TinyModel(table, weight, bias)
    optimizer = student.Adam(model.parameters(), eps)
    _, parameters = three_updates(student.training_step, model, optimizer, batches, rates, large)
    return parameters


def clipped_slowly(table, weight, bias, batches, rates, eps, small):
    model = TinyModel(table, weight, bias)
    optimizer = Adam(model.parameters(), eps)
    return three_updates(training_step_slowly, model, optimizer, batches, rates, small)


def optimizer_watched(student, table, weight, bias, batches, rates, eps, small, large, near, below):
    """Return what the optimizer meets at each batch.

    That is the number of its updates, and at the last of these the rate and the length of the
    gradient.
    """
    records = []

    class Watched(student.Adam):
        def step(self, lr):
            n_updates = records[-1][0] + 1
            records[-1] = [n_updates, float(lr), length_of_gradient(self.parameters)]
            super().step(lr)

    for limit in (small, large, near, below):
        model = student.TinyModel(table, weight, bias)
        optimizer = Watched(model.parameters(), eps)
        for ids, lr in zip(batches, rates, strict=True):
            records.append([0, 0, 0])
            if student.training_step(model, optimizer, ids, limit, float(lr)) is None:
                return None
    return np.array(records).T


def places_of_parameters(table, weight, bias):
    """Return where the numbers of all parameters stand."""
    arrays = {"table": table, "weight": weight, "bias": bias}
    places = []
    for name, array in arrays.items():
        for place in np.ndindex(array.shape):
            places.append(f"at {list(place)} of the {name}")
    return places


EXERCISE = Exercise(
    minutes=60,
    difficulty=3,
    importance=5,
    needs=("label_smoothing", "adam", "warmup"),
    inputs=inputs,
    sizes={"B": (2, 4), "T": (2, 5), "D": (2, 5), "V": (6, 9)},
    calls=[
        Call(optimizer_watched, {"what the optimizer gets": 1}),
        Call(clipped, {"losses": 2, "parameters, clipped": 3}),
        Call(unclipped, {"parameters, not clipped": 3}),
    ],
    axes={
        "what the optimizer gets": (
            "in the number of updates",
            "in the rate",
            "in the gradient (its length)",
        ),
        "losses": ("before the first update", "before the second", "before the third"),
        "parameters, clipped": (),
        "parameters, not clipped": (),
    },
    where={
        "parameters, clipped": places_of_parameters,
        "parameters, not clipped": places_of_parameters,
    },
    slow={"clipped": clipped_slowly},
    prediction=Prediction(
        "Somebody forgets to clear the gradients. What does each update then follow?",
        {
            "a": "the gradient of its own batch, as ever: backward writes it again",
            "b": "the sum of the gradients of all batches since the start",
            "c": "the mean of the gradients of the last two batches",
        },
        answer="b",
        because=(
            "backward adds to grad, and nothing takes away. The updates follow a sum in which "
            "the newest batch counts for less and less; the loss falls for a while, which is why "
            "nobody notices."
        ),
    ),
    hints=[
        "Five things in a row: clear, forward and loss, backward, clip, update. Put a comment "
        "for each and fill them in. The two slices of ids have T columns each.",
        "cross_entropy returns both the loss and what backward wants. For the length, add up the "
        "squares of all three gradients before you take the root; only then compare with the "
        "limit.",
        "Clipping is two loops over model.parameters(): the first adds up (p.grad ** 2).sum(), "
        "the second multiplies every p.grad by limit / length, and runs only if the length is "
        "above the limit. Then one update for all.",
    ],
)
