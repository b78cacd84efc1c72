"""What the paper sets, and we with it."""

import inspect

import pytest

from npformer import TransformerConfig, datasets
from npformer.decoding import BeamSearchConfig, beam_search, greedy_decode, sample
from npformer.runs.recipe import merge_settings, recipes
from npformer.tasks import LabelSmoothingLoss, Objective
from npformer.training import Adam, WarmupSchedule


def default(function, name):
    return inspect.signature(function).parameters[name].default


def config(make, *names):
    made = make(src_vocab_size=9, tgt_vocab_size=9)
    return tuple(getattr(made, name) for name in names)


def in_recipes(name, among=("base", "small", "tiny", "multi30k", "couplets")):
    of_translation = [recipe for recipe in recipes() if recipe in among]
    return {
        getattr(merge_settings({"dataset": "copy", "recipe": recipe})[0], name)
        for recipe in of_translation
    }


SHAPE = ("n_encoder_layers", "n_decoder_layers", "d_model", "d_ff", "n_heads", "dropout")
REST = (
    "d_k",
    "d_v",
    "norm",
    "positions",
    "tie_embeddings",
    "attention_dropout",
    "attention_bias",
    "layer_norm_eps",
)
REST += ("neighbors",)
OURS = (
    "final_norm",
    "embedding_norm",
    "max_len",
    "attention",
    "init",
    "pad_id",
    "start_id",
    "dtype",
)
TABLE = {
    "table 3, base": (config(TransformerConfig, *SHAPE), (6, 6, 512, 2048, 8, 0.1)),
    "base by name": (config(TransformerConfig.base, *SHAPE), (6, 6, 512, 2048, 8, 0.1)),
    "table 3, big": (config(TransformerConfig.big, *SHAPE), (6, 6, 1024, 4096, 16, 0.3)),
    "tiny, which is ours": (config(TransformerConfig.tiny, *SHAPE), (2, 2, 64, 256, 4, 0.1)),
    "figure 1, 3.4": (
        config(TransformerConfig, *REST),
        (None, None, "post", "sinusoidal", "all", 0.0, True, 1e-6, None),
    ),
    "not in the paper": (
        config(TransformerConfig, *OURS),
        (None, False, 512, "auto", "glorot", 0, 2, "float32"),
    ),
    "5.3, Adam": (
        tuple(default(Adam, name) for name in ("beta1", "beta2", "eps")),
        (0.9, 0.98, 1e-9),
    ),
    "5.3, Adam in the recipes": (
        tuple(map(in_recipes, ("beta1", "beta2", "adam_eps"))),
        ({0.9}, {0.98}, {1e-9}),
    ),
    "5.3, warm-up": (default(WarmupSchedule, "warmup_steps"), 4000),
    "5.3, warm-up of the base model": (
        merge_settings({"dataset": "copy", "recipe": "base"})[0].warmup_steps,
        4000,
    ),
    "5.3, no other peak": (
        merge_settings({"dataset": "copy", "recipe": "base"})[0].learning_rate,
        None,
    ),
    "5.4, label smoothing": (default(LabelSmoothingLoss, "eps"), 0.1),
    "5.4, of the objective": (default(Objective, "label_smoothing"), 0.1),
    "5.4, in the recipes": (
        in_recipes("label_smoothing", ("base", "small", "tiny", "multi30k")),
        {0.1},
    ),
    "5.4, not where perplexity is the figure": (
        in_recipes("label_smoothing", ("couplets",)),
        {0.0},
    ),
    "6.1, beams and alpha": (
        (default(beam_search, "beam"), default(beam_search, "alpha")),
        (4, 0.6),
    ),
    "6.1, of a Translator": (
        BeamSearchConfig(),
        BeamSearchConfig(beam=4, alpha=0.6, length_normalization="wu"),
    ),
    "6.1, length": (
        {default(f, "max_extra_tokens") for f in (beam_search, greedy_decode, sample)},
        {50},
    ),
}


@pytest.mark.parametrize("what", TABLE)
def test_default_equals_paper(what):
    came, expected = TABLE[what]
    assert came == expected


def test_at_most_1000_pairs_are_held_out(tmp_path):
    lines = "".join(f"{n}\n" for n in range(60_000))
    (tmp_path / "both").write_text(lines)
    train, held_out = datasets.from_files(tmp_path / "both", tmp_path / "both").load(
        "train", "held_out"
    )
    assert (len(train), len(held_out)) == (59_000, 1000)
