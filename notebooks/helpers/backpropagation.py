"""What notebook 09 compares with the lines that a learner writes, and a picture of descent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import BLUE, GREEN, ORANGE, PINK
from npformer_course.student.short_message import RIGHT, UNWRITTEN, WRONG, headline

from .expected import Expected

POINTS = ((3.0, 4.0), (-2.0, 5.0), (0.5, -4.0))  # at which slopes are compared
EPS = 1e-6


def expected_chain(values: Mapping[str, float]) -> Expected:
    """Return what to compare the gradient of w with."""
    slope_of_max = 1.0 if values["b"] > 0 else 0.0
    return Expected(dw=2 * values["e"] * slope_of_max * values["x"])


def expected_step(parameters: np.ndarray, gradient: np.ndarray, rate: float) -> Expected:
    """Return what to compare parameters after one step of gradient descent with."""
    return Expected(updated=np.subtract(parameters, np.multiply(rate, gradient)))


def check_operations(value_class: type) -> type:
    """Compare the slopes of times and divide with those by moving, and print a short message.

    Where a method has no slopes yet, or wrong ones, the class gets npformer's. Returns the class.

    Arguments:
        value_class: the class Value of the notebook
    """
    states = {}
    reasons = []
    for name, method, stand_in, operation in (
        ("times", "__mul__", _times, lambda u, v: u * v),
        ("divide", "__truediv__", _divide, lambda u, v: u / v),
    ):
        states[name], reason = _state_of(value_class, getattr(value_class, method), operation)
        if states[name] != RIGHT:
            setattr(value_class, method, stand_in)
        if reason:
            reasons.append(f"  {name}: {reason}")
    print(headline(states))
    for reason in reasons:
        print(reason)
    return value_class


def _state_of(value_class: type, method: Callable, operation: Callable) -> tuple[str, str]:
    """Return whether a method has the right slopes, and in words what is wrong with them."""
    if method in (_times, _divide):
        return UNWRITTEN, ""
    for u, v in POINTS:
        try:
            slopes = method(value_class(u), value_class(v)).slopes
            if slopes is ...:
                return UNWRITTEN, ""
            first, second = (float(slope) for slope in slopes)
        except Exception as error:  # whatever the lines of a learner raise
            return WRONG, f"{type(error).__name__}: {error}"

        for got, name, slope in (
            (first, "first", (operation(u + EPS, v) - operation(u - EPS, v)) / (2 * EPS)),
            (second, "second", (operation(u, v + EPS) - operation(u, v - EPS)) / (2 * EPS)),
        ):
            if not math.isclose(got, slope, rel_tol=1e-5):
                return WRONG, (
                    f"of {u:g} and {v:g}, the slope for the {name} is {slope:.4g} by moving it; "
                    f"yours is {got:.4g}"
                )
    return RIGHT, ""


def _times(u, v):
    return type(u)(u.number * v.number, "times", (u, v), (v.number, u.number))


def _divide(u, v):
    result = u.number / v.number
    return type(u)(result, "divide", (u, v), (1 / v.number, -result / v.number))


def losses_of_descent(loss: Callable, value_class: type, rate: float, n_updates: int = 8):
    """Return the losses before each update of w and c, and after the last.

    They start at 2 and -1, and the example is x = 3, t = 7.

    Arguments:
        loss: a function of w, c, x and t, all of the class
        value_class: the class Value of the notebook
        rate: the learning rate
        n_updates: how often the two are changed
    """
    w = 2.0
    c = -1.0
    losses = []
    for _ in range(n_updates + 1):
        inputs = [value_class(number) for number in (w, c, 3.0, 7.0)]
        result = loss(*inputs)
        result.backward()
        losses.append(result.number)
        w -= rate * inputs[0].grad
        c -= rate * inputs[1].grad
    return losses


def show_descent(loss: Callable, value_class: type, rates: Sequence[float]):
    """Draw the losses of gradient descent with each rate, and return the figure."""
    figure, ax = new_figure(width=6.5, height=3)
    looks = zip(rates, (BLUE, GREEN, ORANGE, PINK), "os^D", strict=False)
    for rate, color, marker in looks:
        losses = losses_of_descent(loss, value_class, rate)
        ax.plot(losses, marker=marker, color=color, label=f"rate {rate:g}")
    ax.set_yscale("symlog", linthresh=1)
    ticks = (0, 1, 4, 10, 49)
    ax.set_yticks(ticks, ticks)
    ax.set(xlabel="updates", ylabel="loss", ylim=(-0.15, 80))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
