"""Bugs of GELU."""

from functools import partial

import test_contract as contract
import test_gelu as gelu

from npformer.layers import GELU, FeedForward
from npformer.layers import activations as forms

from .plant import bug, gradients

SLOPE = gradients("GELU")
VALUES = partial(gelu.test_values_equal_formula, "float64", 4e-16, None)

GELU_BUGS = [
    bug("GELU: the slope without x phi(x)", SLOPE, (GELU, "backward", "phi + x * density", "phi")),
    bug(
        "GELU: the density without 1 / sqrt(2 pi)",
        SLOPE,
        (GELU, "backward", " / math.sqrt(2 * math.pi)", ""),
    ),
    bug(
        "GELU: the slope of |x|",
        SLOPE,
        (GELU, "backward", "phi + x * density", "phi + abs(x) * density"),
    ),
    bug(
        "GELU: exp(-x^2), as erf has it, with x not divided by sqrt(2)",
        VALUES,
        (forms, "normal_cdf", "-0.5 * x * x", "-1 * x * x"),
    ),
    bug(
        "GELU: Horner's scheme loses a coefficient",
        VALUES,
        (forms, "normal_cdf", "TAIL[-2:0:-1]", "TAIL[-2:1:-1]"),
    ),
    bug(
        "GELU.backward: dy changed in place",
        partial(contract.test_inputs_and_parameters_are_not_modified, "GELU"),
        (
            GELU,
            "backward",
            "return dy * (phi + x * density)",
            "dy *= phi + x * density\n    return dy",
        ),
    ),
    bug(
        "FeedForward: the activation is ignored",
        gelu.test_feed_forward_uses_the_given_activation,
        (FeedForward, "__init__", "ACTIVATIONS[activation]()", "ReLU()"),
    ),
]
