"""Each option of an import changes what is built; what is not said is found, or asked for."""

import json
from pathlib import Path

import numpy as np
import pytest

from npformer.interop.options import StateDictOptions
from npformer.layers import GELU, FeedForward, LayerNorm
from npformer.layers.positional_encoding import sinusoids
from npformer.utils.settings import settings_of

from .conftest import SAID, SOURCE, TARGET


def modules(translator, kind):
    return [module for _, module in translator.model.named_modules() if isinstance(module, kind)]


def table(translator, column="encoder"):
    return getattr(translator.model, column).tokens.embedding.table.data


def test_what_is_not_said_is_as_in_nn_transformer(imported, their_arrays):
    config = imported(their_arrays(), n_heads=None, embedding_scale="sqrt").model.config
    assert (config.n_heads, config.norm, config.activation, config.layer_norm_eps) == (8, "post", "relu", 1e-5)
    assert (config.d_model, config.d_ff, config.n_encoder_layers, config.n_decoder_layers) == (16, 24, 1, 2)
    assert (config.final_norm, config.attention_bias, config.generator_bias, config.tie) == (True, True, True, "none")
    assert (config.positions, config.max_len, config.source_marks, config.start_id) == ("learned", 20, "eos", 2)


@pytest.mark.parametrize(
    ("options", "observe", "expected"),
    [
        ({"unit": "characters"}, lambda t: (t.source.unit, t.target.unit), ("characters", "characters")),
        ({"lowercase": "source"}, lambda t: (t.source.lowercase, t.target.lowercase), (True, False)),
        ({"lowercase": "both"}, lambda t: (t.source.lowercase, t.target.lowercase), (True, True)),
        ({"source_marks": "both"}, lambda t: t.encode("a b"), [2, 4, 5, 3]),
        ({"source_marks": "none"}, lambda t: t.encode("a b"), [4, 5]),
        ({"n_heads": 4}, lambda t: t.model.decoder.layers[1].cross_attention.sublayer.n_heads, 4),
        ({"norm": "pre"}, lambda t: type(t.model.encoder.layers[0].feed_forward).__name__, "PreNorm"),
        ({"activation": "gelu"}, lambda t: {type(m.activation) for m in modules(t, FeedForward)}, {GELU}),
        ({"layer_norm_eps": 0.25}, lambda t: {m.eps for m in modules(t, LayerNorm)}, {0.25}),
        ({"max_len": 7}, lambda t: len(t.model.decoder.tokens.positions.table.data), 7),
    ],
)
def test_what_is_said_arrives(imported, their_arrays, options, observe, expected):
    assert observe(imported(their_arrays(), **options)) == expected


@pytest.mark.parametrize(("role", "place"), [("pad", 0), ("unk", 1), ("bos", 2), ("eos", 3)])
def test_a_special_token_may_be_any(imported, their_arrays, write_tokens, role, place):
    arrays, tokens = their_arrays(), [*"PUBEabcdefgh"]
    roles = {"pad": "P", "unk": "U", "bos": "B", "eos": "E", role: "d"}
    translator = imported(arrays, source_vocabulary=write_tokens(tokens), target_vocabulary=None, **roles)
    assert (table(translator, "decoder")[place] == arrays["target_embedding.weight"][tokens.index("d")]).all()
    assert translator.source.tokens[4:].count("d") == 0


def test_rows_move_with_their_tokens(imported, their_arrays):
    arrays = their_arrays()
    translator = imported(arrays)
    names = {"<pad>": "<pad>", "<unk>": "<unk>", "<bos>": "<s>", "<eos>": "</s>"}
    for i, token in enumerate(translator.target.tokens):
        theirs = TARGET.index(names.get(token, token))
        assert (table(translator, "decoder")[i] == arrays["target_embedding.weight"][theirs]).all()
        assert (translator.model.generator.table.data[i] == arrays["generator.weight"][theirs]).all()
        assert translator.model.generator.bias.data[i] == arrays["generator.bias"][theirs]


def test_tables_of_embeddings_that_are_not_scaled_are_divided(imported, their_arrays):
    arrays = their_arrays()
    translator = imported(arrays, embedding_scale="1")
    np.testing.assert_allclose(table(translator) * 4, arrays["source_embedding.weight"], rtol=1e-6)
    assert (translator.model.generator.table.data[4] == arrays["generator.weight"][1]).all()


def test_a_token_of_ours_that_they_do_not_have_is_never_written(imported, their_arrays, write_tokens):
    arrays = {name: array for name, array in their_arrays().items() if name != "generator.bias"}
    tokens = [token for token in SOURCE if token not in ("<pad>", "<unk>")]
    arrays = {name: array[2:] if len(array) == len(SOURCE) else array for name, array in arrays.items()}
    del arrays["generator.weight"]
    translator = imported(arrays, source_vocabulary=write_tokens(tokens), target_vocabulary=None, unk="")
    model = translator.model
    assert model.config.generator_bias and model.config.tie == "target"
    logits = model.forward(np.array([[4, 5, 3]]), np.array([[2, 4]]))[0]
    assert (logits[:, [0, 1]] < -1e8).all() and (abs(logits[:, 2:]) < 1e3).all()


def test_the_target_has_its_own_vocabulary_or_the_source_s(imported, their_arrays):
    assert imported(their_arrays()).target.tokens[4:] == [*"ABCDEFGH"]
    assert imported(their_arrays(), target_vocabulary=None).target.tokens[4:] == [*"abcdefgh"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", {"tokens": SOURCE}),
        ("b.json", dict(zip(SOURCE, range(12), strict=True))),
        ("c.json", SOURCE),
    ],
)
def test_tokens_may_stand_in_json(imported, their_arrays, tmp_path, name, content):
    (tmp_path / name).write_text(json.dumps(content))
    for path in (tmp_path / name, str(tmp_path / name)):
        assert imported(their_arrays(), source_vocabulary=path).source.tokens[4:] == [*"abcdefgh"]


ODD = {"source_embedding": "one", "target_embedding": "two", "generator": "three"}
ODD |= {"source_positions": "pos_a", "target_positions": "pos_b"}
SAID_NAMES = {"source_table": "one", "target_table": "two", "generator": "three"}
SAID_NAMES |= {"source_positions": "pos_a", "target_positions": "pos_b"}


@pytest.mark.parametrize(
    "swapped",
    [(), ("source_table", "target_table"), ("target_table", "generator"), ("source_positions", "target_positions")],
)
def test_names_may_be_said(imported, their_arrays, swapped):
    theirs = {f"{ODD[name.removesuffix('.weight')]}.weight": array for name, array in beside(their_arrays()).items()}
    names = dict(SAID_NAMES)
    for name, other in zip(swapped, swapped[::-1], strict=True):
        names[name] = SAID_NAMES[other]
    model = imported(theirs | columns(their_arrays()), **names, target_vocabulary=None).model
    found = {
        "source_table": model.encoder.tokens.embedding.table,
        "target_table": model.decoder.tokens.embedding.table,
        "generator": model.generator.table,
        "source_positions": model.encoder.tokens.positions.table,
        "target_positions": model.decoder.tokens.positions.table,
    }
    for option, parameter in found.items():
        assert (parameter.data == theirs[f"{names[option]}.weight"]).all(), option


def beside(arrays):
    return {n: a for n, a in arrays.items() if not n.startswith("transformer.") and n != "generator.bias"}


def columns(arrays):
    return {n: a for n, a in arrays.items() if n.startswith("transformer.")}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("source_table", "which array is the source's table? Say --source-table, one of one.weight, two.weight"),
        ("target_table", "which array is the target's table? Say --target-table, one of one.weight, two.weight"),
        ("source_positions", "which array has the source's positions? Say --source-positions, one of "),
        ("target_positions", "which array has the target's positions? Say --target-positions, one of "),
    ],
)
def test_a_name_that_cannot_be_found_is_asked_for(refused_import, their_arrays, option, message):
    theirs = {f"{ODD[name.removesuffix('.weight')]}.weight": array for name, array in beside(their_arrays()).items()}
    names = {name: said for name, said in SAID_NAMES.items() if name != option}
    assert message in refused_import(theirs | columns(their_arrays()), **names, target_vocabulary=None)


def test_the_module_of_pytorch_s_tutorial_is_found(imported, their_arrays):
    """Its names, those of its wrappers before them, and its buffer of positions."""
    names = {"source_embedding": "src_tok_emb.embedding", "target_embedding": "tgt_tok_emb.embedding"}
    arrays = {name: array for name, array in their_arrays().items() if "positions" not in name}
    arrays = {
        names.get(n.partition(".")[0], n.partition(".")[0]) + "." + n.partition(".")[2]: a for n, a in arrays.items()
    }
    arrays["positional_encoding.pos_embedding"] = sinusoids(50, 16).astype("float32")[:, None]
    model = imported({f"_orig_mod.module.{n}": a for n, a in arrays.items()}, source_marks="both").model
    assert (model.config.positions, model.config.max_len, model.config.final_norm) == ("sinusoidal", 50, True)
    assert (model.encoder.tokens.embedding.table.data[4:] == arrays["src_tok_emb.embedding.weight"][4:]).all()
    assert (model.decoder.tokens.embedding.table.data[3] == arrays["tgt_tok_emb.embedding.weight"][2]).all()


@pytest.mark.parametrize("prefix", ["", "transformer_", "net."])
def test_columns_may_stand_alone_and_end_without_a_norm(imported, their_arrays, prefix):
    """As nn.TransformerEncoder and nn.TransformerDecoder do in a module of one's own."""
    arrays = their_arrays(final_norm=False)
    config = imported({name.replace("transformer.", prefix): array for name, array in arrays.items()}).model.config
    assert (config.final_norm, config.n_encoder_layers, config.n_decoder_layers) == (False, 1, 2)


@pytest.mark.parametrize(("max_len", "expected"), [(None, 512), (7, 7)])
def test_positions_without_a_table_are_as_many_as_is_said(imported, their_arrays, max_len, expected):
    arrays = {name: array for name, array in their_arrays().items() if "positions" not in name}
    model = imported(arrays, positions="sinusoidal", max_len=max_len).model
    assert len(model.encoder.tokens.positions.table) == expected


@pytest.mark.parametrize(
    ("halves", "said", "shown"),
    [
        (None, "sinusoidal", "learned"),
        (None, "sinusoidal_halves", "learned"),
        (True, "sinusoidal", "sinusoidal_halves"),
    ],
)
def test_positions_that_contradict_their_table_are_refused(imported, refused_import, their_arrays, halves, said, shown):
    arrays = their_arrays()
    if halves is not None:
        table = sinusoids(20, 16, halves=halves).astype("float32")
        arrays |= {"source_positions.weight": table, "target_positions.weight": table}
    line = refused_import(arrays, positions=said)
    assert f"--positions {said} contradicts source_positions.weight, which shows {shown}: leave one out" in line
    ignored = imported(arrays, positions=said, ignore="source_positions.weight,target_positions.weight")
    assert ignored.model.config.positions == said


def test_sinusoids_may_be_taken_as_learned(imported, their_arrays):
    table = sinusoids(20, 16).astype("float32") + np.float32(1e-4)
    arrays = their_arrays() | {"source_positions.weight": table, "target_positions.weight": table}
    model = imported(arrays, positions="learned").model
    assert (model.encoder.tokens.positions.table.data == table).all()


def test_learned_positions_are_no_more_than_there_are(imported, refused_import, their_arrays):
    arrays = their_arrays()
    assert "--max-len 21: there are 20 learned positions" in refused_import(arrays, max_len=21)
    shorter = arrays | {"target_positions.weight": arrays["target_positions.weight"][:15]}
    assert imported(shorter).model.config.max_len == 15
    without = {name: array for name, array in arrays.items() if "positions" not in name}
    assert "there is no table of positions to be --positions learned" in refused_import(without, positions="learned")


def test_a_source_needs_the_marks_that_stand_around_it(imported, refused_import, their_arrays, write_tokens):
    tokens = [token for token in SOURCE if token not in ("<s>", "</s>")] + ["i", "j"]
    said = {"source_vocabulary": write_tokens(tokens)}
    assert imported(their_arrays(), source_marks="none", **said).encode("a") == [4]
    assert "source vocabulary is its eos?" in refused_import(their_arrays(), source_marks="eos", **said)
    said = {"source_vocabulary": write_tokens([*tokens[:-1], "</s>"])}
    assert imported(their_arrays(), source_marks="eos", **said).encode("a") == [4, 3]
    assert "source vocabulary is its bos?" in refused_import(their_arrays(), source_marks="both", **said)


@pytest.mark.parametrize("ignore", ["extra.a", "extra."])
def test_what_does_not_matter_may_be_ignored(imported, refused_import, their_arrays, ignore):
    arrays = their_arrays() | {"extra.a": np.ones(3, "float32")}
    assert imported(arrays, ignore=ignore).model.config.d_model == 16
    assert "--ignore nothing: there is no such array" in refused_import(arrays, ignore="nothing")


@pytest.mark.parametrize(("halves", "shape"), [(False, (30, 1, 16)), (True, (1, 30, 16)), (False, (30, 16))])
def test_sinusoids_in_a_buffer_are_told_from_learned_positions(imported, their_arrays, halves, shape):
    arrays = {name: array for name, array in their_arrays().items() if "positions" not in name}
    arrays["pos_encoder.pe"] = sinusoids(30, 16, halves=halves).astype("float32").reshape(shape)
    config = imported(arrays).model.config
    assert (config.positions, config.max_len) == ("sinusoidal_halves" if halves else "sinusoidal", 30)
    arrays["pos_encoder.pe"] = arrays["pos_encoder.pe"] * 1.1
    assert imported(arrays).model.config.positions == "learned"


@pytest.mark.parametrize(
    ("left_out", "message"),
    [
        ("embedding_scale", "what are embeddings multiplied with? Say --embedding-scale sqrt, of d_model, or 1"),
        ("source_vocabulary", "a state dict holds no vocabulary: say --source-vocabulary FILE"),
        ("positions", "there is no table of positions: say --positions sinusoidal"),
    ],
)
def test_what_must_be_said_is_asked_for(refused_import, their_arrays, left_out, message):
    arrays = their_arrays()
    if left_out == "positions":
        arrays = {name: array for name, array in arrays.items() if "positions" not in name}
    assert message in refused_import(arrays, **{left_out: None})


@pytest.mark.parametrize(
    ("role", "message"),
    [
        (
            "unk",
            'source vocabulary is its unk? It has none of <unk>, <unknown>: say --unk TOKEN, or --unk "" where ',
        ),
        ("eos", "which token of the source vocabulary is its eos? It has none of <eos>, <end>, </s>: say --eos TOKEN"),
        (
            "bos",
            "the target vocabulary is its bos? It has none of <bos>, <sos>, <start>, <s>: say --bos TOKEN",
        ),
    ],
)
def test_a_special_token_that_cannot_be_found_is_asked_for(refused_import, their_arrays, write_tokens, role, message):
    place = {"unk": 1, "bos": 2, "eos": 3}[role]
    tokens = [*SOURCE[:place], "other", *SOURCE[place + 1 :]]
    said = refused_import(their_arrays(), source_vocabulary=write_tokens(tokens), target_vocabulary=None)
    assert message in said


def test_every_option_is_tested_here():
    text = Path(__file__).read_text("utf-8")
    assert all(f'"{name}"' in text or f"{name}=" in text for name in settings_of(StateDictOptions))
    assert SAID.keys() <= settings_of(StateDictOptions).keys()


def test_a_model_is_in_float64_where_all_of_it_is(imported, their_arrays):
    arrays = their_arrays(dtype="float64")
    assert imported(arrays).model.config.dtype == "float64"
    arrays["generator.bias"] = arrays["generator.bias"].astype("float32")
    assert imported(arrays).model.config.dtype == "float32"


def test_attention_without_biases_is_built_without(imported, their_arrays):
    """Where all else has them, as in layers of one's own; with one of the two kinds the other is zero."""
    arrays = their_arrays()
    both = {name: array for name, array in arrays.items() if not name.endswith(("in_proj_bias", "out_proj.bias"))}
    model = imported(both).model
    assert not model.config.attention_bias and model.encoder.layers[0].self_attention.sublayer.w_key.bias is None
    assert model.encoder.layers[0].feed_forward.sublayer.linear_1.bias.data.any()
    one = {name: array for name, array in arrays.items() if not name.endswith("in_proj_bias")}
    attention = imported(one).model.encoder.layers[0].self_attention.sublayer
    assert attention.w_output.bias.data.any() and not attention.w_key.bias.data.any()


def test_a_table_with_a_bias_is_the_generator_whatever_others_are_called(imported, their_arrays):
    arrays = their_arrays()
    names = {"target_embedding.weight": "out_table.weight", "source_embedding.weight": "source.weight"}
    names |= {"generator.weight": "last.weight", "generator.bias": "last.bias"}
    model = imported({names.get(name, name): array for name, array in arrays.items()}, target_table="out_table").model
    assert (model.generator.table.data[4] == arrays["generator.weight"][1]).all()
