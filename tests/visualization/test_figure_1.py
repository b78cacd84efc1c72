"""figure_1 draws every box of a model, each with the shape that it has in a forward."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import npformer as npf
from npformer.visualization import figure_1

PICTURES = Path(__file__).parents[2] / "data" / "pictures"
OTHERWISE = dict(norm="pre", embedding_norm=True, positions="learned", tie_embeddings="none")
SIZES = dict(src_vocab_size=20, tgt_vocab_size=20, d_model=24, d_ff=40, n_encoder_layers=3)


@pytest.mark.parametrize("settings", [{}, OTHERWISE, {"gradient_checkpointing": True}])
def test_figure_1_shows_every_layer_with_its_shape(settings, tmp_path):
    model = npf.Transformer(npf.TransformerConfig.tiny(**SIZES, **settings), rng=0)
    figure_1(model).save(tmp_path / "figure.svg")
    boxes = ET.parse(tmp_path / "figure.svg").iter("{http://www.w3.org/2000/svg}g")
    drawn = {box.get("data-module"): box.get("data-shape") for box in boxes}
    with npf.trace(model) as trace:
        model.forward(np.full((2, 5), 4), np.full((2, 7), 4))
    for record in trace.records[1:]:
        name = re.sub(r"\d+", "*", record.name)
        if name in drawn:
            expected = str(record.output.shape).replace("(2, 5", "(B, S").replace("(2, 7", "(B, T")
            assert drawn[name] == expected, record.name
        else:  # it has boxes inside, is inside a box, or is a dropout
            around = any(
                box.startswith(name + ".") or name.startswith(box + ".") for box in drawn if box
            )
            assert around or name.endswith(".dropout"), record.name


def test_drawing_is_the_picture_of_the_docs(tmp_path):
    """That is of the base model, whose weights take seconds to draw: these are smaller ones."""
    expected = (PICTURES / "figure_1.svg").read_text("utf-8")
    for of_base, of_small in (
        ("37,000 rows, times 22.6", "1,234 rows, times 4"),
        ("37000", "1234"),
        ("d_k 64", "d_k 2"),
        ("512 → 2048, ReLU, 2048 → 512", "16 → 32, ReLU, 32 → 16"),
        (", 512)", ", 16)"),
    ):
        assert of_base in expected
        expected = expected.replace(of_base, of_small)
    small = {"src_vocab_size": 1234, "tgt_vocab_size": 1234, "d_model": 16, "d_ff": 32}
    model = npf.Transformer(npf.TransformerConfig.base(**small), rng=0)
    figure_1(model).save(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_text("utf-8") == expected


def test_boxes_of_a_pre_norm_encoder():
    model = npf.Transformer(npf.TransformerConfig.tiny(**SIZES, **OTHERWISE), rng=0)
    drawn = figure_1(model)._repr_svg_()
    texts = re.findall(r"<(?:title|text)\b[^>]*>([^<]+)", drawn)
    # without the shapes at the arrows
    texts = [text for text in texts if not text.startswith(("(B", "memory"))]
    layer = "encoder.layers.*"
    encoder = [
        *("encoder.input_embedding.embedding", "Embedding", "20 rows, times 4.9"),
        *("encoder.input_embedding.positions", "Add Positional Encoding", "learned"),
        *("encoder.input_embedding.norm", "Norm"),
        *(f"{layer}.self_attention.norm", "Norm", "Q", "K", "V"),
        *(f"{layer}.self_attention.sublayer", "Self-Attention", "4 heads, d_k 6"),
        *(f"{layer}.self_attention", "Add"),
        *(f"{layer}.feed_forward.norm", "Norm"),
        *(f"{layer}.feed_forward.sublayer", "Feed Forward", "24 → 40, ReLU, 40 → 24"),
        *(f"{layer}.feed_forward", "Add"),
        *("3 x", "encoder.norm", "Norm"),
    ]
    assert texts[3:][: len(encoder)] == encoder
    assert "the table of an embedding" not in drawn


def test_letters_of_attention_have_their_colors():
    drawn = figure_1(npf.Transformer(npf.TransformerConfig.tiny(**SIZES), rng=0))._repr_svg_()
    for letter, role in (("Q", "query"), ("K", "key"), ("V", "value")):
        texts = re.findall(rf'<text [^>]*class="{role}" [^>]*>(.*?)</text>', drawn)
        assert texts == [letter] * 3  # of three attentions


def test_invalid_model_or_file_name_is_rejected(tmp_path):
    with pytest.raises(npf.InputError, match="figure_1 got a Linear: expected a Transformer"):
        figure_1(npf.layers.Linear(2, 3))
    figure = figure_1(npf.Transformer(npf.TransformerConfig.tiny(**SIZES), rng=0))
    with pytest.raises(npf.InputError, match="expected a name that ends in"):
        figure.save(tmp_path / "figure.png")
