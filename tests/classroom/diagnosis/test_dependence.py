"""An input that moves the right result and leaves the student's as it was is told, and no other."""

import pytest
from small_exercises import attention, layer_norm, linear, said

from npformer.classroom import index as course


@pytest.mark.parametrize(
    ("small", "part", "edit", "name"),
    [
        (
            attention,
            "y",
            ("weights @ v, weights", "weights @ np.sin(k[..., :1] + np.arange(v.shape[-1])), weights"),
            "v",
        ),
        (layer_norm, "dx", ("dxhat = dy * gain", "dxhat = dy * np.sin(xhat)"), "gain"),
        (linear, "dw", ('"btd,btf->df", x, dy', '"btd,btf->df", x, np.sin(x @ w)'), "dy"),
        (
            course.load("positions"),
            "y",
            ("table[start : start + T]", "sinusoids(start + T, x.shape[2])[start:]"),
            "table",
        ),
    ],
)
def test_what_is_not_felt_is_told(small, part, edit, name):
    for seed in range(3):
        found = said(small, part, edit, seed=seed)
        assert (found.id, found.text) == (f"does not depend on {name}", f"{part} does not depend on {name}")


@pytest.mark.parametrize(
    ("small", "part", "edit"),
    [
        (linear, "dw", ('"btd,btf->df", x, dy', '"btd,btf->df", np.sin(3 * x), np.cos(dy)')),
        (
            linear,
            "dw",
            ('"btd,btf->df", x, dy', '"btd,btf->df", np.sign((x**9).sum()) + 0 * x, np.cos(dy)'),
        ),  # its signs alone
        (
            attention,
            "weights",
            ("scores = np.where(mask, scores", "scores = np.where(mask, scores**3"),
        ),  # right without v
    ],
)
def test_what_is_felt_in_some_way_or_need_not_be_is_not_told(small, part, edit):
    for seed in range(3):
        assert "depend" not in said(small, part, edit, seed=seed).text
