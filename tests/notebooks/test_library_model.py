"""Notebook 08: a layer, encode and logits are compared with npformer's, and own functions translate."""

import re
from pathlib import Path

import numpy as np
import pytest

from helpers.library_model import (
    STAND_INS,
    LibraryModel,
    by_name,
    first_and_last_box,
    own_functions,
)
from helpers.schematics.build_it import FUNCTIONS
from npformer_course import course
from npformer_course.student.stand_ins import run_hidden
from tests.notebooks.written import functions_to_write, written

FOLDER = Path(__file__).parents[2] / "notebooks"
PARTS = ("embedding", "positions", "masks", "encoder_layer", "decoder_layer")
SETTINGS = """
H = 4
N = 2
PAD = 0
table = W["encoder.input_embedding.embedding.table"]
positions = sinusoids(64, 64)
"""
DECODER_LAYER, ENCODE, LOGITS = STAND_INS.split("\n\n\n")


@pytest.fixture(scope="module")
def library():
    return LibraryModel()


@pytest.fixture
def notebook(library):
    """What notebook 08 has defined before `encode`."""
    names = {"np": np, "W": library.weights}
    for id in PARTS:
        names |= run_hidden(course.load(id).key)
    norm, network = by_name(names["layer_norm"], names["feed_forward"])
    boxes = first_and_last_box(names["multi_head"], norm, network)
    names["first_box"], names["last_box"] = boxes
    exec(SETTINGS, names)
    return names


def test_short_sentence_has_padding(library):
    assert (library.src[0] != 0).all() and (library.src[1] == 0).sum() == 5
    assert (library.tgt[0] != 0).all() and (library.tgt[1] == 0).any()


@pytest.mark.parametrize("code", [DECODER_LAYER, ENCODE, LOGITS])
def test_right_function_stays(library, notebook, capsys, code):
    exec(code, notebook)
    [name] = re.findall(r"def (\w+)", code)
    assert library.check(notebook[name]) is notebook[name]
    assert capsys.readouterr().out == f"{name}: right\n"


@pytest.mark.parametrize("body", ["return ...", "return None", "raise NotImplementedError"])
def test_function_that_is_not_written_is_replaced(library, notebook, capsys, body):
    exec(f"def encode(src):\n    {body}", notebook)
    encode = library.check(notebook["encode"])
    assert capsys.readouterr().out.startswith("encode: not written yet; ")
    library.check(encode)  # the cell runs again
    assert capsys.readouterr().out.startswith("encode: not written yet; ")

    exec(LOGITS, notebook)
    memory = encode(library.src)
    z = notebook["logits"](library.tgt, memory, library.src[:, None] != 0)
    np.testing.assert_allclose(z[0], library.logits[0], atol=1e-12)


def test_stand_in_calls_what_the_notebook_defines(library, notebook):
    exec("def logits(tgt, memory, memory_mask):\n    return ...", notebook)
    logits = library.check(notebook["logits"])
    memory = np.ones((2, 10, 64))
    mask = np.full((2, 1, 10), True)
    before = logits(library.tgt, memory, mask)
    notebook["H"] = 2
    assert not np.allclose(logits(library.tgt, memory, mask), before)


@pytest.mark.parametrize(
    ("code", "old", "new", "says"),
    [
        (
            ENCODE,
            "add_positions(embed(src, table), positions, 0)",
            "embed(src, table)",
            "x of layer 0",
        ),
        (ENCODE, "positions, 0)", "positions, 1)", "x of layer 0, which should be embedding plus"),
        (ENCODE, "padding_mask(src, PAD)", "padding_mask(src, -1)", "in layer 0. Its x is right"),
        (ENCODE, "layers.{n}", "layers.0", "in layer 1. Its x is right"),
        (
            ENCODE,
            "        x = enc",
            "        y = enc",
            "x of layer 1, which should be the result of",
        ),
        (ENCODE, "range(N)", "range(1)", "encoder_layer was called 1 time. The encoder has 2"),
        (ENCODE, "range(N)", "range(3)", "KeyError"),
        (ENCODE, "return x", "return x[0]", "All layers are right. Look at what is returned."),
        (
            ENCODE,
            "return x",
            "return x + np.nan",
            "All layers are right. Look at what is returned.",
        ),
        (ENCODE, "return x", 'return "memory"', "All layers are right. Look at what is returned."),
        (ENCODE, ", w, H)", ", w)", "TypeError: "),
        (LOGITS, "target_mask(tgt, PAD)", "padding_mask(tgt, PAD)", "in layer 0. Its x is right"),
        (
            LOGITS,
            "x @ table.T",
            "8 * x @ table.T",
            "All layers are right. Look at what is returned.",
        ),
        (
            DECODER_LAYER,
            "multi_head(u, memory",
            "multi_head(memory, u",
            "Of what are the queries made",
        ),
        (DECODER_LAYER, "cross_mask, part", "self_mask, part", "which mask is theirs"),
        (DECODER_LAYER, "u + found", "found", "What is around the box?"),
        (DECODER_LAYER, "u + found", "x + found", "What is around the box?"),
        (DECODER_LAYER, "return last_box(v, w)", "return v", "something else than npformer"),
        (DECODER_LAYER, "cross_attention.norm", "cross_norm", "KeyError"),
    ],
)
def test_wrong_function_is_replaced_and_the_first_difference_named(
    library, notebook, capsys, code, old, new, says
):
    assert old in code
    [name] = re.findall(r"def (\w+)", code)
    exec(code.replace(old, new), notebook)
    function = library.check(notebook[name])
    said = capsys.readouterr().out
    assert said.startswith(f"{name}: wrong; the notebook continues with npformer's {name}\n")
    assert says in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 88
    library.check(function)  # the cell runs again
    assert capsys.readouterr().out == said


def test_decoder_layer_with_dots_is_not_written_yet(library, notebook, capsys):
    frame = DECODER_LAYER.replace('norm(u + found, part_of(w, "cross_attention.norm"))', "...")
    exec(frame, notebook)
    notebook["decoder_layer"] = library.check(notebook["decoder_layer"])
    assert capsys.readouterr().out.startswith("decoder_layer: not written yet; ")
    exec(LOGITS, notebook)
    library.check(notebook["logits"])
    assert capsys.readouterr().out == "logits: right\n"


def test_exchanged_layers_have_the_arrays_of_the_other(library):
    name = "encoder.layers.{}.feed_forward.norm.gain"
    exchanged = library.exchanged()
    np.testing.assert_array_equal(exchanged[name.format(0)], library.weights[name.format(1)])
    np.testing.assert_array_equal(exchanged[name.format(1)], library.weights[name.format(0)])
    assert exchanged.keys() == library.weights.keys()


def test_own_functions_are_those_that_npformer_did_not_give(library, notebook):
    exec("def encode(src):\n    return ...", notebook)
    notebook["encode"] = library.check(notebook["encode"])
    assert own_functions(notebook) == []
    exec("def softmax(x):\n    return x", notebook)
    assert own_functions(notebook) == ["softmax"]


@pytest.mark.notebooks
def test_each_function_of_the_picture_has_a_cell_in_a_notebook(maker):
    cells = {"decoder_layer", "encode", "logits"}  # which have dots
    for path in FOLDER.glob("0[1-8]_*.py"):
        cells.update(node.name for _, node in functions_to_write(maker.read(path)))
    assert set(FUNCTIONS) <= cells
    assert "masked_attention" in cells  # of which multi_head is made


@pytest.mark.notebooks
@pytest.mark.long
def test_with_everything_kept_and_written_all_boxes_are_the_learners(maker):
    import nbformat  # of the extra notebooks

    notebook = written(maker.read(FOLDER / "08_build_it.py"), "08_build_it")
    lines = ["from pathlib import Path", "Path('my-transformer').mkdir()"]
    for id in course.EXERCISES[: course.EXERCISES.index("encoder_layer")]:
        file = f"my-transformer/{course.stem(id)}.py"
        lines.append(f"Path({file!r}).write_text({course.load(id).key!r}, encoding='utf-8')")
    notebook.cells.insert(0, nbformat.v4.new_code_cell("\n".join(lines)))

    outputs = []
    for cell in maker.run(notebook, FOLDER).cells:
        outputs += cell.get("outputs", [])
    text = "".join(output.get("text", "") for output in outputs)
    assert "npformer's" not in text.replace("npformer's mask_of_heads", "")
    *_, drawing = [
        o["data"]["image/svg+xml"] for o in outputs if "image/svg+xml" in o.get("data", {})
    ]
    assert f"yours: {len(FUNCTIONS)} of {len(FUNCTIONS)}" in drawing
    assert "Ich schalte jeden Tag das neue Radio aus." in drawing
