"""Each variant differs from the base model in what its row says, and in nothing else."""

from dataclasses import fields

import pytest

from npformer import InputError, Transformer, TransformerConfig
from npformer.paper.table2 import forward_multiply_adds
from npformer.paper.table3 import Plan
from npformer.paper.table3.variants import BASE, variants

PAPERS = {
    "A-heads-1": {"n_heads": 1, "d_k": 512, "d_v": 512},
    "A-heads-4": {"n_heads": 4, "d_k": 128, "d_v": 128},
    "A-heads-16": {"n_heads": 16, "d_k": 32, "d_v": 32},
    "B-d_k-16": {"d_k": 16},
    "B-d_k-32": {"d_k": 32},
    "C-layers-2+2": {"n_encoder_layers": 2, "n_decoder_layers": 2},
    "C-layers-4+4": {"n_encoder_layers": 4, "n_decoder_layers": 4},
    "C-layers-8+8": {"n_encoder_layers": 8, "n_decoder_layers": 8},
    "C-d_model-256": {"d_model": 256, "d_k": 32, "d_v": 32},
    "C-d_model-1024": {"d_model": 1024, "d_k": 128, "d_v": 128},
    "C-d_ff-1024": {"d_ff": 1024},
    "C-d_ff-4096": {"d_ff": 4096},
    "D-dropout-0.0": {"dropout": 0.0},
    "D-dropout-0.2": {"dropout": 0.2},
    "D-label_smoothing-0.0": {"label_smoothing": 0.0},
    "D-label_smoothing-0.2": {"label_smoothing": 0.2},
    "E-positions-learned": {"positions": "learned"},
}
OURS = {
    "A-heads-2": {"n_heads": 2, "d_k": 256, "d_v": 256},
    "F-d_word_vec-256": {"d_word_vec": 256},
    "G-init-glorot_normal": {"init": "glorot_normal"},
    "G-init-per_head": {"init": "per_head"},
}
SCORES = "5.29 24.9 5.00 25.5 4.91 25.8 5.16 25.1 5.01 25.4 6.11 23.7 5.19 25.3 4.88 25.5 5.75 24.5 4.66 26.0"
SCORES += " 5.12 25.4 4.75 26.2 5.77 24.6 4.95 25.5 4.67 25.3 5.47 25.7 4.92 25.7"

MODEL = {field.name for field in fields(TransformerConfig)} - {"src_vocab_size", "tgt_vocab_size"}


def base_with(**settings):
    config = TransformerConfig(src_vocab_size=9, tgt_vocab_size=9)
    return {**vars(config), "d_k": 64, "d_v": 64, "label_smoothing": 0.1, **settings}


def changes(base):
    return {variant.name: variant.changes for variant in variants(base)}


def test_of_the_papers_base_model_they_are_the_papers_rows_and_a_few_more():
    assert changes(base_with()) == {"base": {}} | PAPERS | OURS
    scores = [float(score) for score in SCORES.split()]
    papers = {variant.name: variant.paper for variant in variants(base_with())}
    assert papers == {"base": BASE} | dict(
        zip(PAPERS, zip(scores[::2], scores[1::2], strict=True), strict=True)
    ) | dict.fromkeys(OURS)


def test_the_letter_of_a_row_begins_the_name_and_base_has_none():
    assert {variant.name for variant in variants(base_with()) if variant.row != variant.name.partition("-")[0]} == {
        "base"
    }
    assert "".join(dict.fromkeys(variant.row for variant in variants(base_with()))) == "ABCDEFG"


@pytest.mark.parametrize("widths", [{"d_k": None, "d_v": None}, {"d_k": 12, "d_v": 4}])
def test_in_row_a_parameters_and_multiplications_of_all_projections_stay(widths):
    sizes = {"d_model": 64, "d_ff": 32, "n_heads": 8, "n_encoder_layers": 1, "n_decoder_layers": 1}
    config = {**sizes, **widths, "src_vocab_size": 9, "tgt_vocab_size": 9}
    base = base_with(**sizes, **{name: width or 8 for name, width in widths.items()})
    rows = [variant for variant in variants(base) if variant.row == "A"]
    assert {row.changes["n_heads"] for row in rows} == {1, 2, 4, 16}

    def cost(changed):
        made = TransformerConfig(**{**config, **changed})
        model = Transformer(made, rng=0)
        shapes = {name: p.data.shape for name, p in model.named_parameters()}
        return forward_multiply_adds(made, 7, 5), shapes

    assert all(cost(row.changes) == cost({}) for row in rows)


def test_heads_that_all_features_cannot_be_dealt_out_to_are_left_out():
    names = changes(base_with(d_model=48, n_heads=2, d_k=6, d_v=18))
    assert [name for name in names if name.startswith("A")] == ["A-heads-1", "A-heads-4"]


def test_a_value_that_is_the_base_models_is_left_out_and_the_paper_is_asked_for_what_is_left():
    given = {"n_heads": 4, "dropout": 0.2, "label_smoothing": 0.0, "positions": "learned", "init": "per_head"}
    found = {variant.name: variant for variant in variants(base_with(**given))}
    assert "A-heads-8" in found and "A-heads-4" not in found and found["A-heads-8"].paper is None
    assert [name for name in found if name[0] == "D"] == ["D-dropout-0.0", "D-label_smoothing-0.2"]
    assert found["E-positions-sinusoidal"].paper is None
    assert [name for name in found if name[0] == "G"] == ["G-init-glorot", "G-init-glorot_normal"]


def test_a_shallow_base_model_has_each_other_depth_once():
    names = changes(base_with(n_encoder_layers=2, n_decoder_layers=1))
    assert [name for name in names if "layers" in name] == ["C-layers-1+1", "C-layers-3+1"]


@pytest.mark.parametrize(("name", "size"), [("d_k", 3), ("d_ff", 1), ("d_model", 1)])
def test_a_base_model_that_cannot_be_halved_is_refused(name, size):
    with pytest.raises(InputError, match=f"the base model has {name} = {size}: expected . or more"):
        variants(base_with(**{name: size}))


def test_all_variants_of_the_default_can_be_built_and_are_what_they_say(tmp_path):
    plan = Plan.of(tmp_path)
    own = {name: value for name, value in plan.base.items() if name in MODEL}
    sizes = {"src_vocab_size": 9, "tgt_vocab_size": 9}
    for variant in plan.variants:
        model = {name: value for name, value in variant.changes.items() if name in own}
        assert model or variant.changes.keys() <= {"label_smoothing"}
        assert all(own[name] != value for name, value in model.items())
        Transformer(TransformerConfig(**sizes, **own | model), rng=0)
