"""Bugs of LayerNorm."""

from functools import partial

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
            "along_xhat = row_dot(dy_xhat, gain / gain.size)",
            "along_xhat = gain * row_mean(dy_xhat)",
        ),
    ),
    bug(
        "LayerNorm.backward: gain forgotten",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "dx = dy * gain", "dx = dy * 1"),
    ),
    bug("LayerNorm.backward: no mean term", gradients("LayerNorm"), (LayerNorm, "backward", "dx -= along_ones", "")),
    bug(
        "LayerNorm.backward: no variance term",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "dx -= xhat * along_xhat", ""),
    ),
    bug("LayerNorm.backward: no rstd", gradients("LayerNorm"), (LayerNorm, "backward", "dx *= rstd", "")),
    bug(
        "LayerNorm: the variance divides by D - 1 in both directions",
        partial(reference.test_layer_norm, 1e-6),
        (
            LayerNorm,
            "forward",
            "var = row_mean(centred * centred)",
            "var = (centred**2).sum(-1, keepdims=True) / (x.shape[-1] - 1)",
        ),
        (LayerNorm, "backward", "dx -= xhat * along_xhat", "dx -= xhat * along_xhat * gain.size / (gain.size - 1)"),
    ),
    bug(
        "LayerNorm: eps outside the root",
        partial(reference.test_layer_norm, 0.5),
        (LayerNorm, "forward", "xp.sqrt(var + self.eps)", "(xp.sqrt(var) + self.eps)"),
    ),
]
