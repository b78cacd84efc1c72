"""Each option of an import changes what is built; the rest is recognized, or asked for in one
line.
"""

import json

import numpy as np
import pytest

from npformer.interop.import_vocabulary import in_our_order
from npformer.layers import GELU, FeedForward, LayerNorm

from .conftest import SOURCE, TARGET


def modules(translator, kind):
    return [module for _, module in translator.model.named_modules() if isinstance(module, kind)]


def table(translator, stack="encoder"):
    return getattr(translator.model, stack).input_embedding.embedding.table.data


def without(arrays, *parts):
    return {
        name: array for name, array in arrays.items() if not any(part in name for part in parts)
    }


def test_import_defaults_equal_nn_transformer(imported, their_arrays):
    config = imported(their_arrays(), n_heads=None).model.config
    assert (config.n_heads, config.norm, config.activation, config.layer_norm_eps) == (
        8,
        "post",
        "relu",
        1e-5,
    )
    assert (config.d_model, config.d_ff, config.n_encoder_layers, config.n_decoder_layers) == (
        16,
        24,
        1,
        2,
    )
    assert (
        config.final_norm,
        config.attention_bias,
        config.generator_bias,
        config.tie_embeddings,
    ) == (True, True, True, "none")
    assert (config.positions, config.max_len, config.source_special_tokens, config.start_id) == (
        "learned",
        20,
        "eos",
        2,
    )


@pytest.mark.parametrize(
    ("options", "observe", "expected"),
    [
        (
            {"tokenizer": "character"},
            lambda t: (t.source.tokenizer, t.target.tokenizer),
            ("character", "character"),
        ),
        (
            {"lowercase": "source"},
            lambda t: (t.source.lowercase, t.target.lowercase),
            (True, False),
        ),
        ({"lowercase": "both"}, lambda t: (t.source.lowercase, t.target.lowercase), (True, True)),
        ({"source_special_tokens": "both"}, lambda t: t.encode("a b"), [2, 4, 5, 3]),
        ({"source_special_tokens": "none"}, lambda t: t.encode("a b"), [4, 5]),
        ({"n_heads": 4}, lambda t: t.model.decoder.layers[1].cross_attention.sublayer.n_heads, 4),
        (
            {"norm": "pre"},
            lambda t: type(t.model.encoder.layers[0].feed_forward).__name__,
            "PreNorm",
        ),
        (
            {"activation": "gelu"},
            lambda t: {type(m.activation) for m in modules(t, FeedForward)},
            {GELU},
        ),
        ({"layer_norm_eps": 0.25}, lambda t: {m.eps for m in modules(t, LayerNorm)}, {0.25}),
        ({"target_vocabulary": None}, lambda t: t.target.tokens[4:], [*"abcdefgh"]),
    ],
)
def test_import_options_are_used(imported, their_arrays, options, observe, expected):
    assert observe(imported(their_arrays(), **options)) == expected


def test_unscaled_embeddings_are_divided(imported, their_arrays):
    arrays = their_arrays()
    translator = imported(arrays, embedding_scale="1")
    np.testing.assert_allclose(table(translator) * 4, arrays["source_embedding.weight"], rtol=1e-6)
    assert (translator.model.generator.table.data[4] == arrays["generator.weight"][1]).all()


def test_embedding_rows_follow_their_tokens(imported, their_arrays):
    arrays = their_arrays()
    translator = imported(arrays)
    names = {"<bos>": "<s>", "<eos>": "</s>"}
    for i, token in enumerate(translator.target.tokens):
        theirs = TARGET.index(names.get(token, token))
        assert (table(translator, "decoder")[i] == arrays["target_embedding.weight"][theirs]).all()
        assert (
            translator.model.generator.table.data[i] == arrays["generator.weight"][theirs]
        ).all()
        assert translator.model.generator.bias.data[i] == arrays["generator.bias"][theirs]


def test_token_missing_in_imported_model_is_never_generated(imported, their_arrays, write_tokens):
    arrays = without(their_arrays(), "generator")
    tokens = [token for token in SOURCE if token not in ("<pad>", "<unk>")]
    arrays = {
        name: array[2:] if len(array) == len(SOURCE) else array for name, array in arrays.items()
    }
    model = imported(arrays, source_vocabulary=write_tokens(tokens), target_vocabulary=None).model
    assert model.config.generator_bias and model.config.tie_embeddings == "target"
    logits = model.forward(np.array([[4, 5, 3]]), np.array([[2, 4]]))[0]
    assert (logits[:, [0, 1]] < -1e8).all() and (abs(logits[:, 2:]) < 1e3).all()


@pytest.mark.parametrize(
    "content",
    [
        {"tokens": SOURCE, "tokenizer": "character", "lowercase": True},
        {"chars": SOURCE, "size": 12},
        dict(zip(SOURCE, range(12), strict=True)),
        SOURCE,
    ],
)
def test_vocabulary_can_be_read_from_json(imported, their_arrays, tmp_path, content):
    (tmp_path / "a.json").write_text(json.dumps(content))
    source = imported(their_arrays(), source_vocabulary=str(tmp_path / "a.json")).source
    is_run = "tokenizer" in content
    assert (source.tokens[4:], source.tokenizer == "character", source.lowercase) == (
        [*"abcdefgh"],
        is_run,
        is_run,
    )
    said = {"tokenizer": "word", "lowercase": "none"}
    source = imported(their_arrays(), source_vocabulary=str(tmp_path / "a.json"), **said).source
    assert (source.tokenizer, source.lowercase) == ("word", False)


@pytest.mark.parametrize(
    "names",
    [
        {
            "source_embedding": "src_tok_emb.embedding",
            "target_embedding": "tgt_tok_emb.embedding",
        },  # PyTorch's tutorial
        {
            "source_embedding": "enc_table",
            "target_embedding": "dec_out_table",
            "generator": "last",
        },  # it has a bias
        {"generator": "source_of_words"},  # exact names are certain
    ],
)
def test_arrays_with_other_names_are_recognized(imported, their_arrays, names):
    arrays = their_arrays()
    renamed = {
        f"{names.get(n.partition('.')[0], n.partition('.')[0])}.{n.partition('.')[2]}": n
        for n in arrays
    }
    theirs = {new: arrays[old] for new, old in renamed.items()}
    model = imported(theirs).model
    assert (
        model.encoder.input_embedding.embedding.table.data[4:]
        == arrays["source_embedding.weight"][4:]
    ).all()
    assert (
        model.decoder.input_embedding.embedding.table.data[3]
        == arrays["target_embedding.weight"][2]
    ).all()
    assert (model.generator.table.data[3] == arrays["generator.weight"][2]).all()
    assert (
        model.encoder.input_embedding.positions.table.data == arrays["source_positions.weight"]
    ).all()
    assert (
        model.decoder.input_embedding.positions.table.data == arrays["target_positions.weight"]
    ).all()


GENERATORS = "output projection fc lm_head linear logits vocab classifier".split()


@pytest.mark.parametrize(
    ("target", "generator"),
    [*(("target_embedding", name) for name in GENERATORS), ("trg_output_embedding", "fc")],
)
def test_generator_without_a_bias_has_a_telling_name(imported, their_arrays, target, generator):
    arrays = their_arrays(generator_bias=False)
    tables = {target: arrays.pop("target_embedding.weight")}
    tables[generator] = arrays.pop("generator.weight")
    translator = imported(arrays | {f"{name}.weight": array for name, array in tables.items()})
    # the first token of one's own
    assert (table(translator, "decoder")[4] == tables[target][TARGET.index("A")]).all()
    assert (translator.model.generator.table.data[4] == tables[generator][TARGET.index("A")]).all()


def test_matrix_with_a_bias_that_is_the_only_one_is_shared_by_all(imported, their_arrays):
    arrays = without(their_arrays(), "embedding")
    model = imported(arrays, target_vocabulary=None).model
    assert model.config.tie_embeddings == "all" and model.config.generator_bias
    assert (model.generator.table.data[4:] == arrays["generator.weight"][4:]).all()


@pytest.mark.parametrize(
    ("names", "role"),
    [
        ({"source_embedding": "one", "target_embedding": "two"}, "source_embedding.weight"),
        ({"target_embedding": "two", "source_embedding": "decoder_one"}, "source_embedding.weight"),
        ({"source_positions": "pos_a", "target_positions": "pos_b"}, "source_positions.weight"),
    ],
)
def test_unrecognized_array_is_requested(refused_import, their_arrays, names, role):
    arrays = {
        f"{names.get(n.partition('.')[0], n.partition('.')[0])}.{n.partition('.')[2]}": a
        for n, a in their_arrays().items()
    }
    line = refused_import(arrays)
    assert (
        f"which array is {role}? There is" in line
        and "call one so in Python (from_state_dict)" in line
    )
    for name in names.values():
        assert f"{name}.weight (" in line
    assert "generator" not in line  # which has another role


def test_arrays_of_the_stacks_alone_are_not_enough(refused_import, their_arrays):
    line = refused_import(without(their_arrays(), "embedding", "positions", "generator"))
    assert "which array is source_embedding.weight? There is none" in line


@pytest.mark.parametrize(
    ("name", "shape"),
    [("pos_encoder.pe", (30, 1, 16)), ("pe", (1, 30, 16)), ("net.wpe.weight", (30, 16))],
)
def test_single_position_array_is_used_for_both_stacks(imported, their_arrays, name, shape):
    positions = np.random.default_rng(1).normal(size=shape).astype("float32")
    model = imported(without(their_arrays(), "positions") | {name: positions}).model
    assert (model.config.positions, model.config.max_len) == ("learned", 30)
    for stack in (model.encoder, model.decoder):
        assert (stack.input_embedding.positions.table.data == positions.reshape(30, 16)).all()


def test_missing_position_array_means_sinusoids(imported, their_arrays):
    config = imported(without(their_arrays(), "positions")).model.config
    assert (config.positions, config.max_len) == ("sinusoidal", 512)


def test_position_arrays_of_unequal_length_are_rejected(refused_import, their_arrays):
    arrays = their_arrays()
    arrays["target_positions.weight"] = arrays["target_positions.weight"][:15]
    line = refused_import(arrays)
    assert (
        "source_positions.weight and target_positions.weight have different lengths, 20 and 15"
        in line
    )


@pytest.mark.parametrize("prefix", ["", "transformer_", "net."])
def test_stacks_with_any_prefix_and_no_final_norm(imported, their_arrays, prefix):
    """As nn.TransformerEncoder and nn.TransformerDecoder do in a module of one's own."""
    arrays = their_arrays(final_norm=False)
    config = imported(
        {name.replace("transformer.", prefix): array for name, array in arrays.items()}
    ).model.config
    assert (config.final_norm, config.n_encoder_layers, config.n_decoder_layers) == (False, 1, 2)


@pytest.mark.parametrize(
    ("left_out", "message"),
    [
        (
            "embedding_scale",
            "embedding_scale is missing: give sqrt if embeddings are multiplied by sqrt(d_model)",
        ),
        ("source_vocabulary", "weights hold no vocabulary: give --source-vocabulary FILE"),
    ],
)
def test_missing_required_options_are_requested(refused_import, their_arrays, left_out, message):
    assert message in refused_import(their_arrays(), **{left_out: None})


def test_required_special_tokens_must_be_in_vocabulary(
    imported, refused_import, their_arrays, write_tokens
):
    tokens = [token for token in SOURCE if token not in ("<s>", "</s>")] + ["i", "j"]
    said = {"source_vocabulary": write_tokens(tokens)}
    assert imported(their_arrays(), source_special_tokens="none", **said).encode("a") == [4]
    line = refused_import(their_arrays(), source_special_tokens="eos", **said)
    assert (
        "no token could be its eos: expected one of <eos>, <end>, </s>, [eos], rename it in the file"
        in line
    )
    said = {"source_vocabulary": write_tokens([*tokens[:-1], "</s>"])}
    assert imported(their_arrays(), source_special_tokens="eos", **said).encode("a") == [4, 3]
    assert "no token could be its bos" in refused_import(
        their_arrays(), source_special_tokens="both", **said
    )
    assert "no token could be its bos" in refused_import(
        their_arrays(), **said, target_vocabulary=None
    )


def test_two_tokens_with_the_same_role_are_rejected(refused_import, their_arrays, write_tokens):
    tokens = [token if token != "a" else "[PAD]" for token in SOURCE]
    line = refused_import(their_arrays(), source_vocabulary=write_tokens(tokens))
    expected = "expected one of <pad>, <blank>, [pad], rename it in the file"
    assert line.endswith(f"own.txt: <pad> and [PAD] could be its pad: {expected}")


def test_usual_names_of_special_tokens_are_recognized():
    for names in (
        "<pad> <unk> <bos> <eos>",
        "<blank> <unknown> <sos> <end>",
        "[PAD] [UNK] [BOS] [EOS]",
        "<PAD> <Unk> <start> </s>",
        "[pad] [unk] [sos] [eos]",
        "<pad> <unk> <s> </s>",
    ):
        pad, unk, bos, eos = names.split()
        tokens, rows = in_our_order(["a", eos, bos, unk, pad], ["pad", "unk", "bos", "eos"])
        assert tokens == ["<pad>", "<unk>", "<bos>", "<eos>", "a"]
        assert rows.tolist() == [4, 3, 2, 1, 0]


def test_model_is_float64_only_if_all_arrays_are(imported, their_arrays):
    arrays = their_arrays(dtype="float64")
    assert imported(arrays).model.config.dtype == "float64"
    arrays["generator.bias"] = arrays["generator.bias"].astype("float32")
    assert imported(arrays).model.config.dtype == "float32"
