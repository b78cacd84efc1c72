"""Models that are imported or exported compute what slow formulas make of the arrays under their
own names.
"""

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import npformer as npf
from npformer import slow_formulas as slow
from npformer.decoding import BeamSearchConfig
from npformer.interop import save_nn_transformer
from npformer.text import EOS
from npformer.utils import load_tensors
from tests.small_models import disturb

from . import theirs
from .theirs import HEADS, JADORE, MARIAN, NN, D, decode, scaled, waves

SRC, TGT = [4, 9, 3, 5], [0, 7, 9, 4, 5]  # their ids, none of which pads


def our_ids(side, ids):
    """Return our id of each of their ids, `side` being their id of each of ours."""
    return np.array([[int(np.flatnonzero(side == i)[0]) for i in ids]])


def places(vocabulary, tokens, **names):
    """Return their id of each of our tokens, -1 where they have none."""
    names = {"<eos>": "</s>", **names}
    return np.array(
        [{t: i for i, t in enumerate(tokens)}.get(names.get(t, t), -1) for t in vocabulary.tokens]
    )


def check(translator, rows, src, tgt, expected):
    """Compare logits (T, V), and those of tokens that they do not have."""
    found = translator.model.forward(our_ids(rows[0], src), our_ids(rows[1], tgt))[0]
    real = rows[1] >= 0
    np.testing.assert_allclose(found[:, real], expected[:, rows[1][real]], rtol=1e-4, atol=1e-4)
    assert (found[:, ~real] < -1e8).all() and np.isfinite(found).all()


@pytest.mark.parametrize(
    ("settings", "tie_embeddings"),
    [
        ({}, "all"),
        ({"activation_function": "gelu"}, "all"),
        ({"activation_function": "relu", "decoder_start_token_id": 0}, "all"),
        ({"scale_embedding": False}, "none"),
        ({"tie_embeddings": False}, "none"),
        ({"share": False}, "target"),
        ({"share": False, "tie_embeddings": False, "scale_embedding": False}, "none"),
        ({"share": False, "sizes": (11, 14)}, "target"),
    ],
    ids=str,
)
def test_marian(without_sentencepiece, rng, tmp_path, settings, tie_embeddings):
    arrays = theirs.write_marian(tmp_path, rng, **settings)
    translator = npf.interop.load(tmp_path)
    sizes = settings.get("sizes", (12, 12))
    rows = [
        places(vocabulary, ["</s>", "<unk>", *"abcdefghijklmnop"[: size - 3], "<pad>"])
        for vocabulary, size in zip((translator.source, translator.target), sizes, strict=True)
    ]
    own = not settings.get("share", True)
    tables = [
        f"model.{stack}.embed_tokens.weight" if own else "model.shared.weight"
        for stack in theirs.LAYERS
    ]
    scale = settings.get("scale_embedding", True)
    x, y = (
        scaled(arrays, table, ids, scale) + waves(len(ids), halves=True)
        for table, ids in zip(tables, (SRC, TGT), strict=True)
    )
    activation = {"gelu": slow.gelu, "relu": lambda z: max(z, 0.0)}.get(
        settings.get("activation_function"), slow.silu
    )
    y = decode(MARIAN, arrays, x, y, eps=1e-5, activation=activation)
    generator = arrays["lm_head.weight" if "tie_embeddings" in settings else tables[1]]
    check(translator, rows, SRC, TGT, y @ generator.T + arrays["final_logits_bias"][0])
    config = translator.model.config
    start = settings.get("decoder_start_token_id", sizes[1] - 1)
    assert (
        config.tie_embeddings,
        rows[1][config.start_id],
        config.max_len,
        config.source_special_tokens,
    ) == (tie_embeddings, start, 20, "eos")
    assert config.layer_norm_eps == 1e-5
    assert config.dropout == 0.1  # their files' is not read: the model is for use
    assert translator.search == BeamSearchConfig(beam=2, alpha=0.5, length_normalization="length")


@pytest.mark.parametrize("scale", ["emb", "prj", "none"])
@pytest.mark.parametrize(("shared", "same"), [(True, True), (True, False), (False, False)])
def test_jadore(rng, tmp_path, scale, shared, same):
    arrays = theirs.write_jadore(tmp_path, rng, shared=shared, same_embeddings=same)
    said = {"source_vocabulary": str(tmp_path / "tokens.txt"), "n_heads": HEADS, "scale": scale}
    translator = npf.interop.load(tmp_path / "model.safetensors", **said)
    tokens = (tmp_path / "tokens.txt").read_text().splitlines()
    rows = [places(translator.source, tokens, **{"<pad>": "<blank>", "<bos>": "<s>"})] * 2
    x, y = (
        theirs.norm(
            arrays,
            f"{stack}.layer_norm",
            scaled(arrays, name, ids, scale == "emb" and shared) + waves(len(ids)),
            1e-6,
        )
        for stack, name, ids in (
            ("encoder", "encoder.src_word_emb.weight", SRC),
            ("decoder", "decoder.trg_word_emb.weight", TGT),
        )
    )
    expected = decode(JADORE, arrays, x, y, eps=1e-6) @ arrays["trg_word_prj.weight"].T
    check(translator, rows, SRC, TGT, expected / (np.sqrt(D) if scale == "prj" and shared else 1))
    config = translator.model.config
    assert config.tie_embeddings == (
        "none" if not shared or scale == "none" else "all" if same else "target"
    )
    assert (config.max_len, config.positions, config.attention_bias) == (20, "sinusoidal", False)
    assert (config.d_k, config.d_v, config.layer_norm_eps, config.dropout) == (5, 3, 1e-6, 0.1)
    assert translator.encode("a b") == [2, 4, 5, 3]


@pytest.mark.parametrize(
    ("heads", "said"),
    [
        (
            [],
            "safetensors: weights of jadore do not hold their settings: give --n-heads and --scale",
        ),
        # queries have 10 features, values 6
        (["--n-heads", 3], "n_heads = 3 does not divide the"),
        (["--n-heads", 5], "n_heads = 5 does not divide the"),
    ],
)
def test_jadore_with_invalid_head_count_is_rejected(refused, rng, tmp_path, heads, said):
    theirs.write_jadore(tmp_path, rng, shared=True)
    more = ["--source-vocabulary", tmp_path / "tokens.txt", "--scale", "emb", *heads]
    assert said in refused("import", tmp_path / "model.safetensors", tmp_path / "run", *more)


def test_jadore_with_two_position_lengths_is_rejected(refused, rng, tmp_path):
    theirs.write_jadore(tmp_path, rng, shared=True, n_positions=(20, 30))
    said = ["--source-vocabulary", tmp_path / "tokens.txt", "--n-heads", 2, "--scale", "emb"]
    line = refused("import", tmp_path / "model.safetensors", tmp_path / "run", *said)
    assert (
        "position_enc.pos_table has the shapes (1, 20, 8) and (1, 30, 8): expected one shape"
        in line
    )


def test_jadore_with_positions_of_another_shape_is_rejected(refused, rng, tmp_path):
    arrays = theirs.write_jadore(tmp_path, rng, shared=True)
    for stack in ("encoder", "decoder"):
        name = f"{stack}.position_enc.pos_table"
        arrays[name] = arrays[name][0]
    save_file(arrays, tmp_path / "model.safetensors")
    said = ["--source-vocabulary", tmp_path / "tokens.txt", "--n-heads", 2, "--scale", "emb"]
    line = refused("import", tmp_path / "model.safetensors", tmp_path / "run", *said)
    assert "has the shapes (20, 8) and (20, 8): expected one shape (1, length, d_model)" in line


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"norm": "pre", "activation": "gelu", "layer_norm_eps": 0.25, "n_heads": 4},
        {
            "activation": "silu",
            "final_norm": True,
            "tie_embeddings": "target",
            "positions": "sinusoidal_concatenated",
        },
        {
            "tie_embeddings": "none",
            "generator_bias": True,
            "positions": "learned",
            "dtype": "float64",
            "source_special_tokens": "both",
        },
        {"attention_bias": False, "start_id": 0, "pad_id": 4, "dropout": 0.3},
    ],
    ids=str,
)
def test_export_and_import(make_model, rng, tmp_path, settings):
    """The note that is written makes options unnecessary; attention without biases comes back
    with zeros.
    """
    model = make_model(n_decoder_layers=2, **settings).eval()
    disturb(model, rng)
    path, vocabulary = tmp_path / "model.safetensors", tmp_path / "vocabulary.txt"
    save_nn_transformer(model, path)
    vocabulary.write_text("<pad>\n<unk>\n<bos>\n<eos>\na\nb\nc\nd\ne\nf\ng\nh\n")
    src, tgt = [5, 9, 3], [2, 7, 11, 6]
    expected = model.forward(np.array([src]), np.array([tgt]))
    np.testing.assert_allclose(
        expected[0], theirs.logits_of_export(path, src, tgt), rtol=1e-4, atol=1e-4
    )
    note, c = load_tensors(path)[1], model.config  # of which the formulas above need no sizes
    sizes = {"d_model": c.d_model, "dim_feedforward": c.d_ff, "batch_first": True}
    sizes |= {"num_encoder_layers": c.n_encoder_layers, "num_decoder_layers": c.n_decoder_layers}
    assert sizes.items() <= note["transformer"].items() and c.n_encoder_layers != c.n_decoder_layers
    assert (note["final_norm"], note["ids"]["end"]) == (model.encoder.norm is not None, EOS)
    back = npf.interop.load(path, source_vocabulary=str(vocabulary)).model
    weights = model.state_dict()
    assert all(
        (array == weights[name]).all()
        for name, array in back.state_dict().items()
        if name in weights
    )
    assert not any(array.any() for name, array in back.state_dict().items() if name not in weights)
    derived = {
        "attention_bias": True,
        "final_norm": model.encoder.norm is not None,
        "d_k": 16 // model.config.n_heads,
    }
    derived["d_v"] = derived["d_k"]
    assert vars(back.config) == vars(model.config) | derived


@pytest.mark.parametrize(
    "settings", [{"neighbors": 3}, {"embedding_norm": True}, {"d_k": 3}, {"d_v": 3}]
)
def test_model_unsupported_by_nn_transformer_is_not_exported(make_model, tmp_path, settings):
    with pytest.raises(
        npf.InputError, match=r"nn.Transformer has no place for|nn.Transformer has d_k = d_v ="
    ):
        save_nn_transformer(make_model(**settings), tmp_path / "model.safetensors")
    assert not list(tmp_path.iterdir())


def test_name_without_safetensors_is_not_exported_to(make_model, tmp_path):
    with pytest.raises(
        npf.InputError, match=r"model.pt: expected a name that ends in .safetensors"
    ):
        save_nn_transformer(make_model(), tmp_path / "model.pt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("scale", ["1", "sqrt"])
@pytest.mark.parametrize("pre", [False, True])
def test_nn_transformer(rng, tmp_path, imported, scale, pre):
    """A module whose positions are computed and whose special tokens have other ids."""
    apart = theirs.draw(NN, rng)
    if pre:
        apart |= theirs.draw_norm("transformer.encoder.norm", rng) | theirs.draw_norm(
            "transformer.decoder.norm", rng
        )
    arrays = theirs.stack_projections(apart)
    tables = {"src_emb.weight": 12, "tgt_emb.weight": 12, "out.weight": 12}
    arrays |= {name: rng.normal(0, 0.5, (n, D)).astype("float32") for name, n in tables.items()}
    arrays["out.bias"] = rng.normal(0, 0.5, 12).astype("float32")
    how = dict(
        norm="pre" if pre else "post", activation="gelu", layer_norm_eps=0.1, embedding_scale=scale
    )
    translator = imported(arrays, **how)
    rows = [
        places(vocabulary, (tmp_path / f"{side}.txt").read_text().splitlines(), **{"<bos>": "<s>"})
        for side, vocabulary in (("source", translator.source), ("target", translator.target))
    ]
    x, y = (
        scaled(arrays, name, ids, scale == "sqrt") + waves(len(ids))
        for name, ids in (("src_emb.weight", SRC), ("tgt_emb.weight", TGT))
    )
    y = decode(NN, apart, x, y, eps=0.1, activation=slow.gelu, pre=pre)
    check(translator, rows, SRC, TGT, y @ arrays["out.weight"].T + arrays["out.bias"])
    assert load_file(tmp_path / "model.safetensors").keys() == arrays.keys()


def test_a_model_that_was_changed_by_hand_is_not_exported(make_model, tmp_path):
    model = make_model()
    model.encoder.input_embedding.embedding.scale = 1.0
    with pytest.raises(
        npf.InputError, match=r"^the model has .*\.embedding\.scale = 1\.0, but load makes"
    ):
        save_nn_transformer(model, tmp_path / "model.safetensors")
