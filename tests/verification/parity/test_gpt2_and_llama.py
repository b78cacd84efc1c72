"""A LanguageModel with the settings of GPT-2 or Llama against transformers' models."""

import numpy as np
import pytest

from npformer.decoding import CachedDecoder
from npformer.models import LanguageModel, LanguageModelConfig

from .parity import compare
from .weights import Pair, layer_norm, linear, torch

transformers = pytest.importorskip(
    "transformers", reason='transformers is missing: pip install -e ".[parity]"'
)
VOCAB, D_MODEL, N_HEADS, N_LAYERS, MAX_LEN = 17, 12, 6, 2, 9
SIZES = {
    "vocab_size": VOCAB,
    "d_model": D_MODEL,
    "n_heads": N_HEADS,
    "n_decoder_layers": N_LAYERS,
    "max_len": MAX_LEN,
    "dropout": 0.0,
    "pad_id": None,
    "embedding_scale": 1.0,
    "dtype": "float64",
}
GPT2 = {
    "d_ff": 19,
    "norm": "pre",
    "positions": "learned",
    "activation": "gelu_tanh",
    "layer_norm_eps": 1e-5,
}
LLAMA = {
    "d_ff": 11,
    "norm": "rms",
    "positions": "rotary",
    "rotary_pairs": "halves",
    "activation": "swiglu",
    "attention_bias": False,
    "feed_forward_bias": False,
    "tie_embeddings": "none",
}
LLAMAS = [
    {},
    {"n_kv_heads": 2},
    {"n_kv_heads": 1, "d_k": 4, "d_v": 4},
    {"rotary_base": 500.0, "layer_norm_eps": 1e-3},
    {"attention_bias": True, "feed_forward_bias": True, "tie_embeddings": "all"},
    {"n_kv_heads": 3, "attention": "flash", "rotary_base": 3.5},
]


@pytest.fixture(autouse=True)
def only_float64(monkeypatch):
    """Let transformers compute in float64 what it computes in float32 in models of any type."""
    monkeypatch.setattr(torch, "float32", torch.float64)
    monkeypatch.setattr(torch, "float", torch.float64)
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)


def made(kind, config):
    """Return a model of transformers in float64."""
    torch.manual_seed(0)
    return kind._from_config(config, dtype=torch.float64, attn_implementation="eager").eval()


def gpt2():
    return made(
        transformers.GPT2LMHeadModel,
        transformers.GPT2Config(
            vocab_size=VOCAB,
            n_embd=D_MODEL,
            n_head=N_HEADS,
            n_layer=N_LAYERS,
            n_inner=GPT2["d_ff"],
            n_positions=MAX_LEN,
            bos_token_id=None,
            eos_token_id=None,
        ),
    )


def gpt2_pairs(ours, theirs):
    """Pair the parameters of a LanguageModel and a GPT-2, whose matrices are (in, out) as here."""
    theirs = theirs.transformer
    decoder = ours.decoder
    yield Pair(decoder.input_embedding.embedding.table, theirs.wte.weight)
    yield Pair(decoder.input_embedding.positions.table, theirs.wpe.weight)
    for layer, block in zip(decoder.layers, theirs.h, strict=True):
        attention = layer.self_attention.sublayer
        yield from layer_norm(layer.self_attention.norm, block.ln_1)
        # one matrix makes queries, keys and values
        for i, part in enumerate((attention.w_query, attention.w_key, attention.w_value)):
            columns = slice(i * D_MODEL, (i + 1) * D_MODEL)
            view = lambda tensor, columns=columns: tensor[..., columns]  # noqa: E731
            yield Pair(part.weight, block.attn.c_attn.weight, view)
            yield Pair(part.bias, block.attn.c_attn.bias, view)
        yield from same_layout(attention.w_output, block.attn.c_proj)
        yield from layer_norm(layer.feed_forward.norm, block.ln_2)
        yield from same_layout(layer.feed_forward.sublayer.linear_1, block.mlp.c_fc)
        yield from same_layout(layer.feed_forward.sublayer.linear_2, block.mlp.c_proj)
    yield from layer_norm(decoder.norm, theirs.ln_f)


def same_layout(ours, theirs):
    yield Pair(ours.weight, theirs.weight)
    yield Pair(ours.bias, theirs.bias)


def llama(config):
    return made(
        transformers.LlamaForCausalLM,
        transformers.LlamaConfig(
            vocab_size=VOCAB,
            hidden_size=D_MODEL,
            intermediate_size=config.d_ff,
            num_hidden_layers=N_LAYERS,
            num_attention_heads=N_HEADS,
            num_key_value_heads=config.n_kv_heads,
            head_dim=config.d_k or D_MODEL // N_HEADS,
            max_position_embeddings=MAX_LEN,
            rope_parameters={"rope_type": "default", "rope_theta": config.rotary_base},
            rms_norm_eps=config.layer_norm_eps,
            attention_bias=config.attention_bias,
            mlp_bias=config.feed_forward_bias,
            tie_word_embeddings=config.tie_embeddings == "all",
            bos_token_id=None,
            eos_token_id=None,
        ),
    )


def llama_pairs(ours, theirs):
    """Pair the parameters of a LanguageModel and a Llama."""
    decoder = ours.decoder
    yield Pair(decoder.input_embedding.embedding.table, theirs.model.embed_tokens.weight)
    for layer, block in zip(decoder.layers, theirs.model.layers, strict=True):
        attention = layer.self_attention.sublayer
        yield Pair(layer.self_attention.norm.gain, block.input_layernorm.weight)
        yield from linear(attention.w_query, block.self_attn.q_proj)
        yield from linear(attention.w_key, block.self_attn.k_proj)
        yield from linear(attention.w_value, block.self_attn.v_proj)
        yield from linear(attention.w_output, block.self_attn.o_proj)
        network = layer.feed_forward.sublayer
        yield Pair(layer.feed_forward.norm.gain, block.post_attention_layernorm.weight)
        yield from linear(network.gate, block.mlp.gate_proj)
        yield from linear(network.linear_1, block.mlp.up_proj)
        yield from linear(network.linear_2, block.mlp.down_proj)
    yield Pair(decoder.norm.gain, theirs.model.norm.weight)
    if ours.config.tie_embeddings == "none":
        yield Pair(ours.generator.table, theirs.lm_head.weight)


def build(settings, rng):
    """Return a model in train mode, and ids (3, MAX_LEN), in which id 0 is a token as others."""
    model = LanguageModel(LanguageModelConfig(**SIZES, **settings), rng=rng)
    return model, rng.integers(VOCAB, size=(3, MAX_LEN))


def test_gpt2(agree, rng):
    ours, ids = build(GPT2, rng)
    theirs = gpt2()
    assert ours.n_parameters == theirs.num_parameters()
    pairs = list(gpt2_pairs(ours, theirs))
    compare(agree, rng, ours, lambda ids: theirs(ids, use_cache=False).logits, pairs, [ids])
    check_cache(agree, ours, theirs, ids)


@pytest.mark.parametrize("settings", LLAMAS, ids=str)
def test_llama(agree, rng, settings):
    ours, ids = build(LLAMA | settings, rng)
    theirs = llama(ours.config)
    assert ours.n_parameters == theirs.num_parameters()
    pairs = list(llama_pairs(ours, theirs))
    compare(agree, rng, ours, lambda ids: theirs(ids, use_cache=False).logits, pairs, [ids])
    check_cache(agree, ours, theirs, ids)


def check_cache(agree, ours, theirs, ids):
    """Compare the logits of the last position, read with our KV cache in three pieces."""
    decoder = CachedDecoder(ours)
    for piece in np.split(ids, [4, 5], 1):
        logits = decoder.read(piece)
    agree("cached logits", logits, theirs(torch.tensor(ids), use_cache=False).logits[:, -1:])
