"""Bugs of LayerNorm."""

from functools import partial

import test_reference as reference

from npformer.layers import LayerNorm

from .plant import bug, gradients

LAYER_NORM = [
    bug(
        "LayerNorm.backward: gain outside the mean",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "- mean -", "- self.gain.data * row_mean(dy) -"),
    ),
    bug(
        "LayerNorm.backward: gain outside the projection on xhat",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "xhat * projection", "self.gain.data * xhat * row_mean(dy * xhat)"),
    ),
    bug(
        "LayerNorm.backward: gain forgotten",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "dxhat = dy * self.gain.data", "dxhat = dy"),
    ),
    bug(
        "LayerNorm.backward: no mean term",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "- mean ", ""),
    ),
    bug(
        "LayerNorm.backward: no variance term",
        gradients("LayerNorm"),
        (LayerNorm, "backward", " - xhat * projection", ""),
    ),
    bug(
        "LayerNorm.backward: no rstd",
        gradients("LayerNorm"),
        (LayerNorm, "backward", "return rstd * ", "return "),
    ),
    bug(
        "LayerNorm: the variance divides by D - 1 in both directions",
        partial(reference.test_layer_norm, 1e-6),
        (
            LayerNorm,
            "forward",
            "row_mean(centered * centered)",
            "(centered**2).sum(-1, keepdims=True) / (x.shape[-1] - 1)",
        ),
        (
            LayerNorm,
            "backward",
            "row_mean(dxhat * xhat)",
            "(dxhat * xhat).sum(-1, keepdims=True) / (dy.shape[-1] - 1)",
        ),
    ),
    bug(
        "LayerNorm: eps outside the root",
        partial(reference.test_layer_norm, 0.5),
        (
            LayerNorm,
            "forward",
            "xp.sqrt(row_mean(centered * centered) + self.eps)",
            "(xp.sqrt(row_mean(centered * centered)) + self.eps)",
        ),
    ),
]
