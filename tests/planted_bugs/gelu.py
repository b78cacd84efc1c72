"""Bugs of GELU."""

from functools import partial

import test_contract as contract
import test_gelu as gelu

from npformer.layers import GELU, FeedForward
from npformer.layers.extra import erfc as normal_tail
from npformer.layers.extra import gelu as forms

from .plant import bug, gradients

EXACT, WITH_TANH = gradients("GELU"), gradients("GELU with tanh")
VALUES = partial(gelu.test_values, "none", gelu.slow.gelu, "float64", 4e-16, None)
VALUES_32 = partial(gelu.test_values, "none", gelu.slow.gelu, "float32", 2e-7, None)
VALUES_WITH_TANH = partial(gelu.test_values, "tanh", gelu.slow.gelu_with_tanh, "float64", 4e-16, None)

GELU_BUGS = [
    bug("GELU: the slope without x phi(x)", EXACT, (forms, "exact", "bell *= u", "bell *= 0")),
    bug("GELU: the density without 1 / sqrt(2 pi)", EXACT, (forms, "exact", "bell *= DENSITY_AT_ZERO", "")),
    bug("GELU: the slope of |x|", EXACT, (forms, "exact", "turn_with(x, bell, out=slope)", "slope[...] = bell")),
    bug(
        "GELU: exp(-u^2), as erf has it, with u not divided by sqrt(2)",
        VALUES,
        (forms, "exact", "bell *= -0.5", "bell *= -1"),
    ),
    bug("GELU: a polynomial of too low a degree", VALUES, (normal_tail, "tail_polynomial", "DEGREES[dtype]", "10")),
    bug(
        "GELU: float32's polynomial of too low a degree",
        VALUES_32,
        (normal_tail, "tail_polynomial", "DEGREES[dtype]", "4"),
    ),
    bug(
        "GELU: Horner's scheme loses a coefficient",
        VALUES,
        (forms, "normal_tail", "coefficients[-2:0:-1]", "coefficients[-2:1:-1]"),
    ),
    bug(
        "GELU: x is not cut off, and infinity times zero is no number",
        gelu.test_infinity_passes,
        (forms, "exact", "xp.minimum(u, FARTHEST, out=u)", ""),
    ),
    bug(
        "GELU with tanh: no slope of the cube",
        WITH_TANH,
        (forms, "with_tanh", "square *= 3 * 0.044715 * k / 2", "square *= 0"),
    ),
    bug(
        "GELU with tanh: the cube's factor rounded",
        VALUES_WITH_TANH,
        (forms, "with_tanh", "0.044715 * k)", "0.0447 * k)"),
    ),
    bug(
        "GELU: approximate is ignored",
        VALUES_WITH_TANH,
        (GELU, "__init__", "self.approximate = approximate", 'self.approximate = "none"'),
    ),
    bug(
        "GELU.backward: dy changed in place",
        partial(contract.test_nothing_from_outside_is_changed, "GELU"),
        (GELU, "backward", "return dy * slope", "dy *= slope\n    return dy"),
    ),
    bug(
        "FeedForward: the activation is ignored",
        gelu.test_a_feed_forward_network_has_the_activation_that_was_asked_for,
        (FeedForward, "__init__", "ACTIVATIONS[activation]()", "ReLU()"),
    ),
]
