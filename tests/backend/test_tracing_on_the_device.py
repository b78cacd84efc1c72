"""A trace of a model on the device holds host arrays, the same as a trace on the host."""

import numpy as np
from backend_cases import SRC, TGT_IN, VARIANTS, build_model, compare

import npformer as npf
from npformer.decoding import greedy_decode

TOLERANCE = 1e-12


def traced(step):
    model = build_model(VARIANTS[0], "float64")
    with npf.trace(model) as t:
        step(model)
    assert str(t) and t._repr_html_()
    return {
        f"{name}: {what}": array
        for name in t
        for what, array in t[name].arrays.items()
        if array is not None and not isinstance(array, (int, float))
    }


def compare_libraries(library, step):
    found = []
    for name in ("numpy", "stand-in"):
        library(name)
        found.append(traced(step))
    assert all(type(array) is np.ndarray and not array.flags.writeable for array in found[1].values())
    compare(*found, TOLERANCE)
    return found[1]


def test_a_step_of_training(library):
    found = compare_libraries(library, lambda model: model.backward(model.forward(SRC, TGT_IN)))
    assert len(found) > 500 and "generator: dtable" in found


def test_greedy_decoding(library):
    found = compare_libraries(library, lambda model: greedy_decode(model, SRC, bos_id=2, eos_id=3, extra=1))
    assert "decoder.layers.1.cross_attention.sublayer.w_output: output" in found
