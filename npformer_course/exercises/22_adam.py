# id: adam | points: 9 | minutes: 40 | level: 2 | needs: - | notebook: 07b

# %% [markdown]
# # Adam
#
# A gradient says which way each number of the model should go, but hardly how far: the gradients of some arrays are a
# thousand times larger than those of others, and one batch contradicts the next. Adam (section 5.3 of the paper;
# Kingma and Ba 2015, algorithm 1) keeps two running means for every single number: $m$ of its gradient $g$, and $v$
# of the gradient's square.
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$$
#
# Both start at 0 and are therefore too small at first: after $t$ updates with the same $g$, $m$ is
# $(1 - \beta_1^t)\, g$. Dividing by that factor makes up for it:
#
# $$\hat m = \frac{m}{1 - \beta_1^t}, \qquad \hat v = \frac{v}{1 - \beta_2^t}, \qquad
#   \theta \leftarrow \theta - \eta\, \frac{\hat m}{\sqrt{\hat v} + \epsilon}$$
#
# $\hat m$ and $\hat v$ are used once and forgotten: what is kept is $m$ and $v$. $\epsilon$ guards against a division
# by 0; it is added **after** the root, to the root of the corrected $\hat v$. $t$ counts updates **from 1**: it is 1
# in the first update, when `state["t"]` still says 0. It is one count for the whole model, however many arrays the
# model has. The paper takes $\beta_1 = 0.9$, $\beta_2 = 0.98$, $\epsilon = 10^{-9}$; in the check $\epsilon$ is
# large, so that its place shows.
#
# The state of a training run is thus $m$ and $v$ of every array, and one $t$. At the start:

# %%
import math

import numpy as np


def adam_start(parameters):
    """Return the state before the first update."""
    return {
        "m": [np.zeros_like(p) for p in parameters],
        "v": [np.zeros_like(p) for p in parameters],
        "t": 0,
    }


# %% [markdown]
# Adam never mixes two numbers. Here is an update of one of them, and of a list of arrays, number by number:


# %%
def move_one_number(theta, g, m, v, t, lr, beta1, beta2, eps):
    """Return theta, m and v of a single number after update number t."""
    m_new = beta1 * m + (1 - beta1) * g
    v_new = beta2 * v + (1 - beta2) * g**2
    corrected_m = m_new / (1 - beta1**t)
    corrected_v = v_new / (1 - beta2**t)
    return theta - lr * corrected_m / (math.sqrt(corrected_v) + eps), m_new, v_new


def adam_step_slowly(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    """The same as below, by loops."""
    thetas, ms, vs = ([x.copy() for x in arrays] for arrays in (parameters, state["m"], state["v"]))
    for i, g in enumerate(gradients):
        for place in np.ndindex(*g.shape):
            before = thetas[i][place], g[place], ms[i][place], vs[i][place]
            after = move_one_number(*before, state["t"] + 1, lr, beta1, beta2, eps)
            thetas[i][place], ms[i][place], vs[i][place] = after
    return thetas, {"m": ms, "v": vs, "t": state["t"] + 1}


# %% [markdown]
# ## Your turn
#
# One update of all arrays, each as a whole. Return new arrays and a new state, and leave what came in as it was: no
# number in an array changes, and no array in the lists of the state is exchanged for another. It is checked from the
# middle of a training run, where some updates have gone before, for one update and for several in a row, each of which
# gets the state that the one before has left.


# %%
def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    """Return the parameters and the state after one update.

    parameters, gradients: two lists of arrays, of the same shapes in the same order.
    state: a dict with lists "m" and "v" of arrays of these shapes, and "t", how many updates have been made.
    lr: the learning rate, eta above.
    Returns (list of new parameters, new state).
    """
    # BEGIN SOLUTION
    t = state["t"] + 1
    moved, kept_m, kept_v = [], [], []
    for p, g, m, v in zip(parameters, gradients, state["m"], state["v"], strict=True):
        m = m * beta1 + (1 - beta1) * g
        v = v * beta2 + (1 - beta2) * g * g
        m_hat = m / (1 - beta1**t)
        v_hat = v / (1 - beta2**t)
        moved.append(p - lr * m_hat / (np.sqrt(v_hat) + eps))
        kept_m.append(m)
        kept_v.append(v)
    return moved, {"m": kept_m, "v": kept_v, "t": t}
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, D, F, N):
    """Draw a weight (D, F) and a bias (F,) in mid-training, and their gradients at N updates."""
    beta1, beta2 = draw.uniform(0.7, 0.9), draw.uniform(0.92, 0.98)
    return {
        "weight": draw.normal(D, F),
        "bias": draw.normal(F),
        "dweight": draw.normal(N, D, F),
        "dbias": draw.normal(N, F),
        "m_weight": draw.normal(D, F),
        "m_bias": draw.normal(F),
        "v_weight": 0.1 + draw.normal(D, F) ** 2,
        "v_bias": 0.1 + draw.normal(F) ** 2,
        "t": int(draw.rng.integers(1, 6)),
        "lr": float(draw.rng.uniform(0.1, 0.3)),
        "beta1": beta1,
        "beta2": beta2,
        "eps": draw.uniform(0.2, 0.6),  # large, so that its place shows
    }


def updates(step, n, weight, bias, dweight, dbias, m_weight, m_bias, v_weight, v_bias, t, lr, beta1, beta2, eps):
    """Return the parameters and the state after n updates.

    Where the lists of the state that came in hold something else afterwards, so do the arrays that they held: the check
    sees those.
    """
    parameters, first = [weight, bias], {"m": [m_weight, m_bias], "v": [v_weight, v_bias], "t": t}
    arrays, state = [*first["m"], *first["v"]], first
    for i in range(n):
        parameters, state = step(parameters, [dweight[i], dbias[i]], state, lr, beta1, beta2, eps)
    for array, now in zip(arrays, [*first.get("m", ()), *first.get("v", ())], strict=False):
        if np.shape(now) == array.shape:
            array[...] = now
    return parameters, state


def one_update(student, weight, bias, dweight, dbias, m_weight, m_bias, v_weight, v_bias, t, lr, beta1, beta2, eps):
    arrays = (weight, bias, dweight, dbias, m_weight, m_bias, v_weight, v_bias)
    parameters, _ = updates(student.adam_step, 1, *arrays, t, lr, beta1, beta2, eps)
    return tuple(parameters)


def some_updates(student, weight, bias, dweight, dbias, m_weight, m_bias, v_weight, v_bias, t, lr, beta1, beta2, eps):
    arrays = (weight, bias, dweight, dbias, m_weight, m_bias, v_weight, v_bias)
    parameters, state = updates(student.adam_step, len(dweight), *arrays, t, lr, beta1, beta2, eps)
    return *parameters, state["m"][0], state["v"][0]


def one_update_slowly(weight, bias, dweight, dbias, m_weight, m_bias, v_weight, v_bias, t, lr, beta1, beta2, eps):
    arrays = (weight, bias, dweight, dbias, m_weight, m_bias, v_weight, v_bias)
    return tuple(updates(adam_step_slowly, 1, *arrays, t, lr, beta1, beta2, eps)[0])


def some_updates_slowly(weight, bias, dweight, dbias, m_weight, m_bias, v_weight, v_bias, t, lr, beta1, beta2, eps):
    arrays = (weight, bias, dweight, dbias, m_weight, m_bias, v_weight, v_bias)
    parameters, state = updates(adam_step_slowly, len(dweight), *arrays, t, lr, beta1, beta2, eps)
    return *parameters, state["m"][0], state["v"][0]


CALLS = [
    Call(one_update, {"weight after one update": 2, "bias after one update": 1}),
    Call(some_updates, {"weight after some updates": 2, "bias after some updates": 1, "m kept": 1, "v kept": 1}),
]
SLOW = {"one_update": one_update_slowly, "some_updates": some_updates_slowly}

PREDICTION = Prediction(
    "The first update of a fresh model, m and v both 0. One number has the gradient 700, another 0.0001. Forget "
    "epsilon. How far does each move, with a learning rate of 0.1?",
    {"a": "70 and 0.00001", "b": "both by 0.1", "c": "both by 0.01, since m is still small"},
    answer="b",
    because="With t = 1 the corrected m is g and the corrected v is g squared, so each number moves by lr * g / |g|: "
    "the whole learning rate, whatever the size of its gradient. So the rate has to be small in the first updates.",
)

MISTAKES = [
    Mistake(
        "t_from_0",
        "{part} is what comes out when the correction uses a count of updates that is too small by one",
        Edit('t = state["t"] + 1', 't = state["t"]'),
        Edit('"t": t}', '"t": t + 1}'),
        ask="In the very first update state['t'] is 0. What would 1 - beta ** t be with your t?",
    ),
    Mistake(
        "t_per_tensor",
        "{part} is what comes out when the count of updates in the correction grows with every array, so that it is "
        "too large",
        Edit('t = state["t"] + 1', 't = state["t"]'),
        Edit("        m = m * beta1", "        t += 1\n        m = m * beta1"),
        ask="A model has 253 arrays. What does your t say after one update?",
    ),
    Mistake(
        "t_stands_still",
        "{part} is what comes out when every update is corrected as if it were the first one of these",
        Edit('"t": t}', '"t": state["t"]}'),
        ask="What does the state that you return say about how many updates have been made?",
    ),
    Mistake(
        "eps_inside_root",
        "{part} is what comes out when eps is under the root",
        Edit("np.sqrt(v_hat) + eps", "np.sqrt(v_hat + eps)"),
        ask="With v = 0, what is the denominator of the formula, and what is yours?",
    ),
    Mistake(
        "eps_before_correction",
        "{part} is what comes out when eps takes part in the correction: added to the root of v, before both are "
        "divided",
        Edit("(np.sqrt(v_hat) + eps)", "((np.sqrt(v) + eps) / math.sqrt(1 - beta2**t))"),
        ask="Which comes first in the formula, the correction or the eps?",
    ),
    Mistake(
        "no_correction",
        "{part} is what comes out when m and v are used uncorrected, as if they had not started at 0",
        Edit("m_hat = m / (1 - beta1**t)", "m_hat = m"),
        Edit("v_hat = v / (1 - beta2**t)", "v_hat = v"),
        ask="After one update from zeros m is a tenth of g. Is a tenth a good guess of the gradient's mean?",
    ),
    Mistake(
        "v_uncorrected",
        "{part} is what comes out when m is corrected and v is not",
        Edit("v_hat = v / (1 - beta2**t)", "v_hat = v"),
        ask="After one update from zeros v is a fiftieth of g squared. What does that do to the length of the step?",
    ),
    Mistake(
        "corrected_kept",
        "the corrected m and v are kept in the state, and corrected again in the next update",
        Edit("kept_m.append(m)", "kept_m.append(m_hat)"),
        Edit("kept_v.append(v)", "kept_v.append(v_hat)"),
        ask="Is the running mean that the next update starts from m, or m hat?",
    ),
    Mistake(
        "betas_swapped",
        "m forgets as slowly as v should, and v as fast as m should",
        Edit('t = state["t"] + 1', 't = state["t"] + 1\n    beta1, beta2 = beta2, beta1'),
        ask="Which of the two means is to look back over about 50 updates, and which over about 10?",
    ),
    Mistake(
        "nothing_remembered",
        "m and v know of the last gradient alone",
        Edit("m = m * beta1 + ", "m = "),
        Edit("v = v * beta2 + ", "v = "),
        ask="What of the m that came in is in the m that goes out?",
    ),
    Mistake(
        "no_root",
        "{part} is what comes out when the step is divided by v itself, not by its root",
        Edit("np.sqrt(v_hat)", "v_hat"),
        ask="Multiply all gradients by 1000. By what does m grow, by what does v, and what becomes of the step?",
    ),
    Mistake(
        "uphill",
        "{part} is what comes out when the parameters move along the gradient, not against it",
        Edit("p - lr * m_hat", "p + lr * m_hat"),
        ask="The gradient points to where the loss grows. Which way should the parameters go?",
    ),
    Mistake(
        "v_of_sizes",
        "{part} is what comes out when v is a running mean of the size of the gradient",
        Edit("(1 - beta2) * g * g", "(1 - beta2) * np.abs(g)"),
        ask="Of what is v the running mean, by the formula?",
    ),
    Mistake(
        "v_without_square",
        "{part} is what comes out when v is a running mean of the gradient as it is",
        Edit("(1 - beta2) * g * g", "(1 - beta2) * g"),
        ask="May v be below 0 by the formula, and may yours?",
    ),
    Mistake(
        "corrected_m_kept",
        "the corrected m is kept in the state, and corrected again in the next update",
        Edit("kept_m.append(m)", "kept_m.append(m_hat)"),
        ask="Is the running mean that the next update starts from m, or m hat?",
    ),
    Mistake(
        "m_without_weight",
        "{part} is what comes out when the new gradient goes into m with its full weight",
        Edit("m = m * beta1 + (1 - beta1) * g", "m = m * beta1 + g"),
        ask="If every gradient is 1, at which number does m arrive after many updates: by the formula, and by your "
        "lines?",
    ),
    Mistake(
        "means_exchanged",
        "{part} is what comes out when beta1 and beta2 are exchanged in the two running means, and not in the "
        "corrections",
        Edit("m * beta1 + (1 - beta1) * g", "m * beta2 + (1 - beta2) * g"),
        Edit("v * beta2 + (1 - beta2) * g * g", "v * beta1 + (1 - beta1) * g * g"),
        ask="Which of the two means is to look back over about 50 updates, and which over about 10?",
    ),
    Mistake(
        "weights_exchanged",
        "{part} is what comes out when the running means keep 1 - beta of what they were, and take beta of the new",
        Edit("m * beta1 + (1 - beta1) * g", "m * (1 - beta1) + beta1 * g"),
        Edit("v * beta2 + (1 - beta2) * g * g", "v * (1 - beta2) + beta2 * g * g"),
        ask="With beta = 0.9, how much of the old mean is in the new one: by the formula, and by your lines?",
    ),
    Mistake(
        "step_before_the_means",
        "{part} is what comes out when the step is made with the m and v that came in, without the new gradient",
        Edit("m_hat = m /", "m_hat = state['m'][len(moved)] /"),
        Edit("v_hat = v /", "v_hat = state['v'][len(moved)] /"),
        ask="Does the update of a batch use the gradient of that batch? Follow g through your lines.",
    ),
    Mistake(
        "m_before_the_mean",
        "{part} is what comes out when the step is made with the m that came in, and with the new v",
        Edit("m_hat = m /", "m_hat = state['m'][len(moved)] /"),
        ask="Does the update of a batch use the gradient of that batch? Follow g through your lines.",
    ),
    Mistake(
        "beta_without_power",
        "{part} is what comes out when the correction divides by 1 - beta, however many updates there were",
        Edit("m_hat = m / (1 - beta1**t)", "m_hat = m / (1 - beta1)"),
        Edit("v_hat = v / (1 - beta2**t)", "v_hat = v / (1 - beta2)"),
        ask="After a thousand updates, is there still anything to correct: by the formula, and by your lines?",
    ),
    Mistake(
        "beta_times_t",
        "{part} is what comes out when beta is multiplied by t in the correction",
        Edit("m_hat = m / (1 - beta1**t)", "m_hat = m / (1 - beta1 * t)"),
        Edit("v_hat = v / (1 - beta2**t)", "v_hat = v / (1 - beta2 * t)"),
        ask="What is beta1^t for t = 3 and beta1 = 0.9? Print yours.",
    ),
    Mistake(
        "correction_multiplied",
        "{part} is what comes out when m and v are multiplied by 1 - beta^t: they get smaller yet",
        Edit("m_hat = m / (1 - beta1**t)", "m_hat = m * (1 - beta1**t)"),
        Edit("v_hat = v / (1 - beta2**t)", "v_hat = v * (1 - beta2**t)"),
        ask="m is too small at first. Does your correction make it larger?",
    ),
    Mistake(
        "no_rate",
        "{part} is what comes out when the step does not depend on the learning rate",
        Edit("lr * m_hat", "m_hat"),
        ask="Which of the arguments have you not used?",
    ),
]

HINTS = [
    "Work on one array at a time, with NumPy's arithmetic on whole arrays: the formulas hold as they stand. What does "
    "not belong inside the loop over the arrays?",
    "Take t out of the state and raise it by one before the loop. Inside it: new m, new v, their corrected copies, the "
    "moved array. Collect three lists.",
    "zip gives you p, g, m and v of each array together. Four lines of formulas follow, in the text's order; the state "
    "that you return holds the uncorrected m and v, and the t that you have corrected with.",
]

ALTERNATIVES = [
    """
def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    return adam_step_slowly(parameters, gradients, state, lr, beta1, beta2, eps)
""",
    """
def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    new = {"m": [], "v": [], "t": state["t"] + 1}
    first, second = 1 - math.pow(beta1, new["t"]), 1 - math.pow(beta2, new["t"])
    result = []
    for i in range(len(parameters)):
        new["m"].append(state["m"][i] + (1 - beta1) * (gradients[i] - state["m"][i]))
        new["v"].append(state["v"][i] + (1 - beta2) * (gradients[i] ** 2 - state["v"][i]))
        rate = lr * math.sqrt(second) / first
        result.append(parameters[i] - rate * new["m"][i] / (new["v"][i] ** 0.5 + eps * math.sqrt(second)))
    return result, new
""",
    """
def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    flat_p, flat_g, flat_m, flat_v = (
        np.concatenate([x.ravel() for x in arrays]) for arrays in (parameters, gradients, state["m"], state["v"])
    )
    flat_m = beta1 * flat_m + (1 - beta1) * flat_g
    flat_v = beta2 * flat_v + (1 - beta2) * np.square(flat_g)
    t = state["t"] + 1
    flat_p = flat_p - lr * (flat_m / (1 - beta1**t)) / (np.sqrt(flat_v / (1 - beta2**t)) + eps)
    ends = np.cumsum([p.size for p in parameters])[:-1]

    def cut(flat):
        return [piece.reshape(p.shape) for piece, p in zip(np.split(flat, ends), parameters)]

    return cut(flat_p), {"m": cut(flat_m), "v": cut(flat_v), "t": t}
""",
]
