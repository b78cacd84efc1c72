"""Bugs of GELU."""

from functools import partial

import test_contract as contract
import test_gelu as gelu

from npformer.layers import GELU, FeedForward
from npformer.layers.extra import gelu as forms

from .plant import bug, gradients

EXACT, WITH_TANH = gradients("GELU"), gradients("GELU with tanh")
VALUES = partial(gelu.test_values, "none", gelu.slow.gelu, "float64", 4e-16, None)
VALUES_32 = partial(gelu.test_values, "none", gelu.slow.gelu, "float32", 2e-7, None)
VALUES_WITH_TANH = partial(gelu.test_values, "tanh", gelu.slow.gelu_with_tanh, "float64", 4e-16, None)

GELU_BUGS = [
    bug("GELU: the slope without x phi(x)", EXACT, (GELU, "backward", "phi + u * density", "phi")),
    bug("GELU: the density without 1 / sqrt(2 pi)", EXACT, (GELU, "backward", " / math.sqrt(2 * math.pi)", "")),
    bug("GELU: the slope of |x|", EXACT, (GELU, "backward", "phi + u * density", "phi + abs(u) * density")),
    bug(
        "GELU: exp(-u^2), as erf has it, with u not divided by sqrt(2)",
        VALUES,
        (forms, "normal_cdf", "-0.5 * u * u", "-1 * u * u"),
    ),
    bug("GELU: a polynomial of too low a degree", VALUES, (forms, "_tail_polynomial", "_DEGREE", "10")),
    bug(
        "GELU: Horner's scheme loses a coefficient",
        VALUES,
        (forms, "normal_cdf", "coefficients[-2:0:-1]", "coefficients[-2:1:-1]"),
    ),
    bug(
        "GELU: x is not cut off, and infinity times zero is no number",
        gelu.test_infinity_passes,
        (GELU, "forward", "xp.clip(x, -_END, _END)", "x"),
    ),
    bug(
        "GELU with tanh: no slope of the cube",
        WITH_TANH,
        (GELU, "backward", "3 * TANH_C", "0 * TANH_C"),
    ),
    bug(
        "GELU with tanh: the cube's factor rounded",
        VALUES_WITH_TANH,
        (GELU, "forward", "TANH_C * u", "0.0447 * u"),
    ),
    bug(
        "GELU: approximate is ignored",
        VALUES_WITH_TANH,
        (GELU, "__init__", "self.approximate = approximate", 'self.approximate = "none"'),
    ),
    bug(
        "GELU.backward: dy changed in place",
        partial(contract.test_nothing_from_outside_is_changed, "GELU"),
        (GELU, "backward", "return dy * (phi + u * density)", "dy *= phi + u * density\n    return dy"),
    ),
    bug(
        "FeedForward: the activation is ignored",
        gelu.test_a_feed_forward_network_has_the_activation_that_was_asked_for,
        (FeedForward, "__init__", "ACTIVATIONS[activation]()", "ReLU()"),
    ),
]
