"""Planted bugs: where an edit fits and what it leaves, and functions of all kinds."""

import re

import numpy as np
import pytest

from npformer import InputError, TransformerConfig
from npformer.layers import Linear, causal_mask
from npformer.testing import BugEdit, PlantedBug, plant
from npformer.testing.layer_gradients import LayerGradients
from npformer.testing.planted_bugs import replace_code
from npformer.text.bpe_vocabulary import BPEVocabulary


@pytest.mark.parametrize(
    ("source", "right", "wrong", "expected"),
    [
        ("y = f(\n    a,\n    b,\n)\n", "f(a, b)", "g(a)", "y = g(a)\n"),
        ("y = a + b  # c\n", " + b", "", "y = a  # c\n"),
        ("y = a * b\n", "a * ", "", "y = b\n"),
        ("    -a\n", " -a", "-b", "    -b\n"),
        ("y = a\n", "a", r"'\1'", "y = '\\1'\n"),
    ],
)
def test_edit_fits_however_its_lines_are_wrapped(source, right, wrong, expected):
    assert replace_code(source, BugEdit("", right, wrong)) == expected


@pytest.mark.parametrize(("source", "n"), [("a + a", 0), ("b = a + b", 2)])
def test_edit_must_fit_once(source, n):
    message = (
        f"layers/a.py::f: 'b' occurs {n} times, expected once: "
        "adapt planted_bugs.toml to the present source"
    )
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        replace_code(source, BugEdit("layers/a.py::f", "b", "c"))


def is_training_in_evaluation():
    layer = Linear(2, 3)
    with layer.evaluating():
        return layer.training


FUNCTIONS = [
    # a function of a module, and methods: a class's, a static one, and with other decorators
    (
        "layers/masks.py::causal_mask",
        ("(length, before", "(1, before"),
        lambda: len(causal_mask(2)),
        (2, 1),
    ),
    (
        "models/config.py::TransformerConfig.tiny",
        ('"n_heads": 4', '"n_heads": 8'),
        lambda: TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9).n_heads,
        (4, 8),
    ),
    (
        "text/bpe_vocabulary.py::BPEVocabulary.words",
        ("words_of(text)", "words_of(text[:1])"),
        lambda: len(BPEVocabulary.words("a b")),
        (2, 1),
    ),
    (
        "module.py::Module.n_parameters",
        ("data.size", "data.ndim"),
        lambda: Linear(2, 3).n_parameters,
        (9, 3),
    ),
    (
        "testing/layer_gradients.py::LayerGradients.arrays",
        ("if is_float(x)", "if not is_float(x)"),
        lambda: len(LayerGradients(Linear(2, 3), [np.ones(2)]).arrays),
        (3, 2),
    ),
    (
        "module.py::Module.evaluating",
        ("training = False", "training = True"),
        is_training_in_evaluation,
        (False, True),
    ),
]


@pytest.mark.parametrize(("place", "edit", "run", "results"), FUNCTIONS)
def test_function_of_any_kind_has_the_bug_for_a_while(place, edit, run, results):
    right, wrong = results
    with plant(PlantedBug("", [BugEdit(place, *edit)], caught_by="")):
        assert run() == wrong
    assert run() == right
