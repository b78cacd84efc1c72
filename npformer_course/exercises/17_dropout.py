# id: dropout | points: 9 | minutes: 40 | level: 2 | needs: add_norm | notebook: 06c

# %% [markdown]
# # Dropout
#
# A model with millions of numbers can learn its training sentences by heart. *Dropout* (Srivastava et al. 2014;
# section 5.4 of the paper) makes that hard: while training, each number of a layer's result is set to 0 with
# probability $p$, at random, others in every step, so that nothing can rely on one particular number being there. When
# the model is used, nothing is dropped.
#
# A number that is there with probability $1 - p$ only would be smaller on average than later, when the model is used.
# So what is kept is made larger at once, and the mean stays: $\;p \cdot 0 + (1 - p) \cdot \frac{x}{1 - p} = x$.
#
# $$y_i = \begin{cases} 0 & \text{with probability } p \\ \dfrac{x_i}{1 - p} & \text{otherwise} \end{cases}
#   \qquad\qquad
#   dx_i = \begin{cases} 0 & \text{where } y_i \text{ was dropped} \\ \dfrac{dy_i}{1 - p} & \text{elsewhere}
#   \end{cases}$$
#
# Backward is easy, with one catch. *Where $y_i$ was dropped*: chance has spoken in forward, and backward has to know
# what it said. So this layer cannot be two functions of arrays: it must remember something from the one to the other.
# That makes it a class here.
#
# Chance can be checked only when it is agreed on which random numbers are drawn. They come from a NumPy generator,
# `rng`, and this is the agreement:
#
# - In training mode, each `forward` draws `rng.random(x.shape)` once, and nothing else: one number in $[0, 1)$ for
#   each number of `x`. Where it is $\ge p$, the number of `x` is kept.
# - In eval mode, `forward` returns `x` as it is, and draws nothing. Its `backward` returns `dy` as it is.
# - `backward` draws nothing. It belongs to the last `forward`, in the mode that held then.
#
# One number at a time, for forward:

# %%
import numpy as np


def dropout_slowly(x, p, training, rng):
    """The same as `Dropout.forward` below, by a loop."""
    if not training:
        return x
    numbers = rng.random(x.shape)
    y = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        if numbers[place] >= p:
            y[place] = x[place] / (1 - p)
    return y


# %% [markdown]
# ## Your turn
#
# Write `forward` and `backward`, without loops. What forward leaves for backward is up to you: put it on `self`. One
# layer is used many times, like this, and the check does the same:
#
# ```python
# layer = Dropout(0.1, np.random.default_rng(0))
# y = layer.forward(x)  # training mode
# dx = layer.backward(dy)
# y = layer.forward(x)  # the next step: other numbers are dropped
# dx = layer.backward(dy)
# layer.training = False
# y = layer.forward(x)  # eval mode
# ```


# %%
class Dropout:
    """Set each value to 0 with probability p while training, and scale the others by 1 / (1 - p)."""

    def __init__(self, p, rng):
        """Take the probability p, 0 <= p < 1, and a np.random.Generator. `training` may be set from outside."""
        self.p = p
        self.rng = rng
        self.training = True

    def forward(self, x):
        """Return y, of the shape of x. x has any shape, (B, T, D) for instance, and is not changed."""
        # BEGIN SOLUTION
        self.factor = np.ones_like(x)
        if self.training:
            keep = self.rng.random(x.shape) >= self.p
            self.factor = (keep / (1 - self.p)).astype(x.dtype)
        return x * self.factor
        # END SOLUTION

    def backward(self, dy):
        """Return dx for the last forward, of the shape of dy, which is not changed."""
        # BEGIN SOLUTION
        return dy * self.factor
        # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, D):
    """Draw x, a third of which is 0 before anything is dropped, dy, and the seed of the random numbers."""
    x = draw.normal(B, T, D)
    return {
        "x": np.where(draw.rng.random(x.shape) < 1 / 3, 0.0, x),
        "dy": draw.normal(B, T, D),
        "p": draw.uniform(0.2, 0.6),
        "seed": int(draw.rng.integers(2**31)),
    }


def both(a, b):
    """Return two results as one, or None where either is."""
    return None if a is None or b is None else np.stack([a, b])


def train(student, x, p, seed):
    return student.Dropout(p, np.random.default_rng(seed)).forward(x)


def backward(student, x, dy, p, seed):
    layer = student.Dropout(p, np.random.default_rng(seed))
    layer.forward(x)
    return layer.backward(dy)


def second_step(student, x, dy, p, seed):
    layer = student.Dropout(p, np.random.default_rng(seed))
    twice = 2 * x
    layer.forward(x)
    layer.backward(dy.copy())
    y = layer.forward(twice)
    return y, layer.backward(dy)


def evaluate(student, x, p, seed):
    layer = student.Dropout(p, np.random.default_rng(seed))
    layer.training = False
    y = layer.forward(x.copy())  # may be given back as it is, and is kept apart from what comes next
    layer.training = True
    return both(y, layer.forward(x))


def evaluate_backward(student, x, dy, p, seed):
    layer = student.Dropout(p, np.random.default_rng(seed))
    layer.forward(x)
    layer.training = False
    dx = layer.backward(dy)
    layer.forward(x)
    layer.training = True
    return both(dx, layer.backward(dy))


CALLS = [
    Call(train, {"y": 2}),
    Call(backward, {"dx": 2}),
    Call(second_step, {"y of a second step": 1, "dx of a second step": 1}),
    Call(evaluate, {"y in eval mode, then training": 1}),
    Call(evaluate_backward, {"dx in training, then eval mode": 1}),
]


def train_slowly(x, p, seed):
    """Drop by the loop."""
    return dropout_slowly(x, p, True, np.random.default_rng(seed))


def backward_slowly(dy, p, seed):
    """Backward is a straight line in dy with the same factors."""
    return dropout_slowly(dy, p, True, np.random.default_rng(seed))


def second_step_slowly(x, dy, p, seed):
    """Make the first step's draw, then drop with the second."""
    results = []
    for array in (2 * x, dy):
        rng = np.random.default_rng(seed)
        rng.random(x.shape)
        results.append(dropout_slowly(array, p, True, rng))
    return tuple(results)


def evaluate_slowly(x, p, seed):
    """Drop nothing, then drop."""
    rng = np.random.default_rng(seed)
    return np.stack([dropout_slowly(x, p, training, rng) for training in (False, True)])


def evaluate_backward_slowly(dy, p, seed):
    """Drop, then drop nothing."""
    rng = np.random.default_rng(seed)
    return np.stack([dropout_slowly(dy, p, training, rng) for training in (True, False)])


AXES = {
    "y in eval mode, then training": ("in eval mode", "in training after it"),
    "dx in training, then eval mode": ("after a forward in training", "after a forward in eval mode"),
}
SLOW = {
    "train": train_slowly,
    "backward": backward_slowly,
    "second_step": second_step_slowly,
    "evaluate": evaluate_slowly,
    "evaluate_backward": evaluate_backward_slowly,
}

PREDICTION = Prediction(
    "In training, with p = 0.5, a feature of x is 3. What can come out at its place?",
    {"a": "0 or 3", "b": "0 or 6", "c": "1.5"},
    answer="b",
    because="Half of the time it is 0, so that it must be 6 in the other half if the mean is to stay 3. Nothing has to "
    "be corrected later: eval mode may forget that there ever was dropout.",
)

MISTAKES = [
    Mistake(
        "not_scaled",
        "y is 0 where it was dropped, and x elsewhere: it is smaller than x on average",
        Edit("return x * self.factor", "return x * (self.factor > 0)"),
        ask="Average y over a thousand forwards of the same x. What should come out, and what does?",
    ),
    Mistake(
        "dx_not_scaled",
        "dx is 0 where y was dropped, and dy elsewhere",
        Edit("return dy * self.factor", "return dy * (self.factor > 0)"),
        ask="Move a kept number of x by h. By how much does its y move?",
    ),
    Mistake(
        "divided_by_p",
        "{part} is what comes out when what is kept is divided by p",
        Edit("keep / (1 - self.p)", "keep / self.p"),
        ask="With p = 0.1, most numbers are kept. How much larger do they have to become, for the mean to stay?",
    ),
    Mistake(
        "kept_with_probability_p",
        "{part} is what comes out when a number is kept with probability p, and dropped with 1 - p",
        Edit(">= self.p", "< self.p"),
        ask="With p = 0.1, how many of a thousand numbers should be 0? Count yours.",
    ),
    Mistake(
        "new_mask_in_backward",
        "{part} is what comes out when backward draws random numbers again",
        Edit("return dy * self.factor", "return dy * (self.rng.random(dy.shape) >= self.p) / (1 - self.p)"),
        ask="A number of x was dropped in forward. Which of your lines tells backward which one it was?",
    ),
    Mistake(
        "dy_passed_on",
        "dx is dy, as if nothing had been dropped",
        Edit("return dy * self.factor", "return dy.copy()"),
        ask="A number of x was dropped in forward. May the loss move with it?",
    ),
    Mistake(
        "active_in_eval",
        "in eval mode numbers are dropped too",
        Edit("if self.training:", "if self.rng:"),
        ask="Call forward twice in eval mode with the same x. Should a translation depend on chance?",
    ),
    Mistake(
        "scaled_in_eval",
        "in eval mode, what comes in is multiplied by 1 - p",
        Edit("self.factor = np.ones_like(x)", "self.factor = np.full(x.shape, 1 - self.p)"),
        ask="In training the mean has been kept already. What is left to correct when nothing is dropped?",
    ),
    Mistake(
        "draws_in_eval",
        "after a forward in eval mode, the next one in training drops at other places than agreed",
        Edit("np.ones_like(x)", "np.ones_like(x if self.training else self.rng.random(x.shape))"),
        ask="How many random numbers has the generator given away before the first forward in training mode?",
    ),
    Mistake(
        "one_mask_for_ever",
        "{part} is what comes out when the second step drops at the same places as the first",
        Edit(
            "keep = self.rng.random(x.shape) >= self.p",
            "self.keep = keep = getattr(self, 'keep', self.rng.random(x.shape) >= self.p)",
        ),
        ask="If the same features are always dropped, which ones does the model learn to do without?",
    ),
    Mistake(
        "old_mask_in_eval",
        "backward in eval mode drops where the last forward in training did",
        Edit("self.factor = np.ones_like(x)", "factor = np.ones_like(x)"),
        Edit("self.factor = (keep", "self.factor = factor = (keep"),
        Edit("return x * self.factor", "return x * factor"),
        ask="To which forward does a backward belong?",
    ),
    Mistake(
        "whole_features",
        "{part} is what comes out when a feature is dropped at all positions of all sentences or at none",
        Edit("self.rng.random(x.shape)", "(self.rng.random(x.shape[-1]) + np.zeros(x.shape))"),
        ask="How many random numbers does the agreement draw for an x of shape (B, T, D)?",
    ),
    Mistake(
        "mode_of_now",
        "backward goes by the mode that holds when it is called, and drops where the last forward in training did",
        Edit("self.factor = (keep", "self.factor = self.kept = (keep"),
        Edit("return dy * self.factor", "return dy * (self.kept if self.training else 1)"),
        ask="To which forward does a backward belong, and which mode held then?",
    ),
    Mistake(
        "p_for_keeping",
        "{part} is what comes out when p is the probability that a number is kept",
        Edit(">= self.p", "< self.p"),
        Edit("keep / (1 - self.p)", "keep / self.p"),
        ask="With p = 0.1, how many of a thousand numbers should be 0? Count yours.",
    ),
    *(
        Mistake(
            f"dropped_where_y_is_0{suffix}",
            f"{{part}} is what comes out when backward takes a number for dropped wherever y is 0{words}",
            Edit("return x * self.factor", "self.y = x * self.factor\n        return self.y"),
            Edit("return dy * self.factor", f"return dy * (self.y != 0) * {factor}"),
            ask="A number of x is 0 and is kept. What is y there, and does the loss move with that x?",
        )
        for suffix, words, factor in (("", "", "self.factor.max()"), ("_unscaled", ", and does not divide", "1"))
    ),
    Mistake(
        "divided_twice",
        "{part} is what comes out when backward divides by 1 - p twice",
        Edit("return dy * self.factor", "return dy * self.factor**2"),
        ask="What is in the array that forward left for backward, and what does backward still do with it?",
    ),
    Mistake(
        "binomial",
        "{part} is what comes out when the generator is asked for binomial numbers",
        Edit("self.rng.random(x.shape) >= self.p", "self.rng.binomial(1, 1 - self.p, x.shape)"),
        ask="Which call of the generator does the agreement name, and which one is in your lines?",
    ),
]

HINTS = [
    "What is the derivative of y_i by x_i where x_i was kept, and where it was dropped? Forward and backward multiply "
    "by the same array.",
    "The random numbers compared with p make an array of booleans. Divided by 1 - p, it becomes an array of factors, "
    "0 or 1 / (1 - p). y is x times these.",
    "Keep the factors on self at the end of each forward, and let backward multiply dy by them. In eval mode, which "
    "must draw nothing, the factors are ones: keep those too, or backward will find the old ones.",
]

ALTERNATIVES = [
    """
class Dropout(Dropout):
    def forward(self, x):
        self.dropped = None
        if not self.training:
            return x
        self.dropped = self.rng.random(x.shape) < self.p
        return np.where(self.dropped, 0, x / (1 - self.p))

    def backward(self, dy):
        return dy if self.dropped is None else np.where(self.dropped, 0, dy / (1 - self.p))
""",
    """
class Dropout(Dropout):
    def forward(self, x):
        self.places, self.scale = list(range(x.size)), 1
        if self.training:
            self.places = [i for i, u in enumerate(self.rng.random(x.shape).flat) if u >= self.p]
            self.scale = 1 / (1 - self.p)
        return self.spread(x)

    def backward(self, dy):
        return self.spread(dy)

    def spread(self, x):
        y = np.zeros(x.size)
        y[self.places] = self.scale * x.reshape(-1)[self.places]
        return y.reshape(x.shape)
""",
    """
class Dropout:
    def __init__(self, p, rng):
        self.p, self.rng, self.training = p, rng, True

    def forward(self, x):
        if self.training:
            scale = (self.rng.random(x.shape) >= self.p) * (1 / (1 - self.p))
            self.back = lambda dy: scale * dy
            y = x.copy()
            y *= scale
            return y
        self.back = lambda dy: dy
        return x

    def backward(self, dy):
        return self.back(dy)
""",
]
