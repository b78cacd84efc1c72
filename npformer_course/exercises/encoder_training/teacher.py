"""How the answers to encoder_training are checked."""

import math

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from . import exercise

# by another name, because the names in a call say which of the student's functions it is about
from .exercise import encoder_layer as encoder_layer_of_key
from .exercise import encoder_layer_slowly

# of the training
N_STEPS = 24
BATCH = 24
LENGTH = 3
VOCAB_SIZE = 4
D_MODEL = 16
D_FF = 32
N_HEADS = 2


def shapes_of(D, F):
    """Return the shape of each parameter of a layer by its name, in their order."""
    return {
        "w_query": (D, D),
        "w_key": (D, D),
        "w_value": (D, D),
        "w_output": (D, D),
        "gain_1": (D,),
        "bias_1": (D,),
        "w_1": (D, F),
        "b_1": (F,),
        "w_2": (F, D),
        "b_2": (D,),
        "gain_2": (D,),
        "bias_2": (D,),
    }


def draw_layer(draw, D, F):
    """Draw the parameters of a layer, by name."""
    parameters = {}
    for name, shape in shapes_of(D, F).items():
        if name.startswith("gain"):
            parameters[name] = draw.gain(D)
        else:
            parameters[name] = draw.normal(*shape) / math.sqrt(shape[0])
    return parameters


def end_to_end(parameters):
    """Return the parameters of a layer as one array."""
    return np.concatenate([array.reshape(-1) for array in parameters.values()])


def make_layer(student, numbers, n_heads, D, F):
    """Return a layer of the student's classes with these parameters, which are end to end."""
    p = {}
    start = 0
    for name, shape in shapes_of(D, F).items():
        end = start + math.prod(shape)
        p[name] = numbers[start:end].reshape(shape)
        start = end

    attention = student.MultiHeadAttention(
        p["w_query"], p["w_key"], p["w_value"], p["w_output"], n_heads
    )
    norm_1 = student.LayerNorm(p["gain_1"], p["bias_1"])
    feed_forward = student.FeedForward(p["w_1"], p["b_1"], p["w_2"], p["b_2"])
    norm_2 = student.LayerNorm(p["gain_2"], p["bias_2"])
    return student.EncoderLayer(attention, norm_1, feed_forward, norm_2)


def inputs(draw, B, H, T, K, F):
    """Draw a layer, an input, a mask and a gradient, and the start of a model with its batches."""
    D = H * K
    mask = np.arange(T) < np.maximum(1, T - np.arange(B))[:, None]

    start = draw_layer(draw, D_MODEL, D_FF)
    for norm in ("1", "2"):  # as a model starts
        start[f"gain_{norm}"] = np.ones(D_MODEL)
        start[f"bias_{norm}"] = np.zeros(D_MODEL)

    return {
        "x": draw.normal(B, T, D),
        "mask": mask[:, None, None, :],
        "dy": draw.normal(B, T, D),
        "layer_numbers": end_to_end(draw_layer(draw, D, F)),
        "n_heads": H,
        "d_ff": F,
        "start_numbers": end_to_end(start),
        "table": draw.normal(VOCAB_SIZE, D_MODEL),
        "positions": draw.normal(LENGTH, D_MODEL),
        "w_logits": draw.normal(D_MODEL, VOCAB_SIZE) / math.sqrt(D_MODEL),
        "batches": draw.rng.integers(VOCAB_SIZE, size=(N_STEPS, BATCH, LENGTH)),
    }


def forward(student, x, mask, layer_numbers, n_heads, d_ff):
    layer = make_layer(student, layer_numbers, n_heads, x.shape[-1], d_ff)
    return student.encoder_layer(layer, x, mask)


def backward(student, dy, x, mask, layer_numbers, n_heads, d_ff):
    layer = make_layer(student, layer_numbers, n_heads, x.shape[-1], d_ff)
    # the key's: a wrong forward of the student's costs nothing here
    encoder_layer_of_key(layer, x, mask)
    dx = student.encoder_layer_backward(layer, dy)
    return dx, np.concatenate([parameter.grad.reshape(-1) for parameter in layer.parameters()])


def training(student, start_numbers, table, positions, w_logits, batches):
    layer = make_layer(student, start_numbers, N_HEADS, D_MODEL, D_FF)
    model = student.Reverser(table, positions, layer, w_logits)
    lengths = []

    class Watched(student.Adam):
        def step(self):
            squares = [float((p.grad**2).sum()) for p in self.parameters]
            lengths.append(math.sqrt(sum(squares)))
            super().step()

    losses = student.train(model, Watched(model.parameters(), 0.01), batches)
    first_two = [*lengths, 0, 0][:2]
    watched = np.array([len(lengths), *first_two])
    if losses is None:
        return None, watched
    return np.array(losses), watched


def places_of_parameters(x, d_ff):
    """Return the places of the parameters of a layer in words."""
    places = []
    for name, shape in shapes_of(x.shape[-1], d_ff).items():
        for place in np.ndindex(shape):
            places.append(f"at {list(place)} of {name}")
    return places


def forward_slowly(x, mask, layer_numbers, n_heads, d_ff):
    layer = make_layer(exercise, layer_numbers, n_heads, x.shape[-1], d_ff)
    return encoder_layer_slowly(layer, x, mask)


def terms_of_dx(dy, x, mask, layer_numbers, n_heads, d_ff):
    """The way past attention, and the one through it."""
    layer = make_layer(exercise, layer_numbers, n_heads, x.shape[-1], d_ff)
    encoder_layer_of_key(layer, x, mask)
    ds = layer.norm_2.backward(dy)
    dr = layer.norm_1.backward(ds + layer.feed_forward.backward(ds))
    return {
        "the path past attention": dr,
        "the path through attention": layer.attention.backward(dr),
    }


EXERCISE = Exercise(
    minutes=75,
    difficulty=4,
    importance=4,
    needs=("multi_head_backward", "add_norm_backward", "training_step"),
    inputs=inputs,
    sizes={"K": (2, 4), "F": (4, 9)},
    calls=[
        Call(forward, {"y": 3}),
        Call(backward, {"dx": 3, "gradients of the parameters": 2}),
        Call(training, {"losses": 3, "what the optimizer gets": 1}),
    ],
    axes={
        "gradients of the parameters": (),
        "what the optimizer gets": (
            "in the number of updates",
            "in the first gradient (its length)",
            "in the second (its length)",
        ),
    },
    where={"gradients of the parameters": places_of_parameters},
    slow={"forward": forward_slowly},
    terms={"dx": terms_of_dx},
    prediction=Prediction(
        "The loss is a mean of -ln p. The model has four tokens and has learned nothing: it "
        "gives all of them the same probability. What is its loss?",
        {"a": "0.25", "b": "1", "c": "ln 4, about 1.39"},
        answer="c",
        because=(
            "p is 1/4 everywhere, and -ln(1/4) = ln 4. A loss that starts far above it shows "
            "logits that are too large, and one that stays near it a model that learns nothing."
        ),
    ),
    hints=[
        "encoder_layer is the first formula in two lines, one for each Add & Norm: a norm's "
        "forward, given a sum. Only attention takes the mask.",
        "encoder_layer_backward is the second formula in four lines, one for each part, in this "
        "order: norm 2, feed forward, norm 1, attention. After a sub-layer, add the gradient "
        "that went around it.",
        "train: a loop over batches with five calls, and a list for the losses. The targets are "
        "ids with the second axis reversed, for which a slice with the step -1 is enough. "
        "cross_entropy gives the loss and what model.backward takes.",
    ],
)
