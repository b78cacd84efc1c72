"""Bugs of LayerNorm."""

from functools import partial

import test_large_numbers as large
import test_reference as reference

from npformer.layers import LayerNorm

from .plant import bug, gradients

LAYER_NORM = [
    bug(
        "LayerNorm.backward: gain outside the mean",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "along_ones = row_dot(dy, gain / gain.size)", "along_ones = gain * row_mean(dy)"),
    ),
    bug(
        "LayerNorm.backward: gain outside the projection on xhat",
        gradients("LayerNorm"),
        (
            LayerNorm,
            "backward",
            "along_centred = row_dot(dy_centred, gain / gain.size)",
            "along_centred = gain * row_mean(dy_centred)",
        ),
    ),
    bug(
        "LayerNorm.backward: gain forgotten",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "outer(rstd, gain)", "outer(rstd, xp.ones_like(gain))"),
    ),
    bug("LayerNorm.backward: no mean term", gradients("LayerNorm"), (LayerNorm, "backward", "dx -= along_ones", "")),
    bug(
        "LayerNorm.backward: no variance term",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "dx -= xp.multiply(centred, along_centred, out=dy_centred)", ""),
    ),
    bug(
        "LayerNorm.backward: rstd once and not three times",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "* rstd * rstd * rstd", "* rstd"),
    ),
    bug(
        "LayerNorm.backward: dgain of what is centred and not yet divided",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "rstd.reshape(-1) @ flat(dy_centred)", "column_sum(dy_centred)"),
    ),
    bug(
        "LayerNorm.backward: the cube of rstd by itself, which is lost where x is very large",
        large.test_the_scale_of_x_divides_the_gradient_and_nothing_else,
        (LayerNorm, "backward", "* rstd * rstd * rstd", "* (rstd * rstd * rstd)"),
    ),
    bug(
        "LayerNorm: the variance divides by D - 1 in both directions",
        partial(reference.test_layer_norm, 1e-6),
        (
            LayerNorm,
            "forward",
            "var = row_mean(centred * centred)",
            "var = (centred**2).sum(-1, keepdims=True) / (x.shape[-1] - 1)",
        ),
        (LayerNorm, "backward", "* rstd * rstd * rstd", "* rstd**3 * gain.size / (gain.size - 1)"),
    ),
    bug(
        "LayerNorm: eps outside the root",
        partial(reference.test_layer_norm, 0.5),
        (LayerNorm, "forward", "xp.sqrt(var + self.eps)", "(xp.sqrt(var) + self.eps)"),
    ),
]
