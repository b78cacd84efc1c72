"""npformer's weights for the other engines.

A table says where an engine keeps what; it ends with the weight's name.
"""

from __future__ import annotations

import numpy as np
from sizes import BOS, Size
from translate_model import EPS, Arrays, HalvedArrays, reference_model

from npformer.interop import to_nn_transformer

QUERY_KEY_VALUE = "w_query w_key w_value"

MARIAN_ATTENTION = {
    "q_proj.": "w_query",
    "k_proj.": "w_key",
    "v_proj.": "w_value",
    "out_proj.": "w_output",
}
MARIAN_ENCODER = {
    "self_attention": {f"self_attn.{place}": name for place, name in MARIAN_ATTENTION.items()}
    | {"self_attn_layer_norm.": "norm"},
    "feed_forward": {"fc1.": "linear_1", "fc2.": "linear_2", "final_layer_norm.": "norm"},
}
MARIAN_CROSS = {f"encoder_attn.{place}": name for place, name in MARIAN_ATTENTION.items()}
MARIAN = {
    "encoder": MARIAN_ENCODER,
    "decoder": MARIAN_ENCODER
    | {"cross_attention": MARIAN_CROSS | {"encoder_attn_layer_norm.": "norm"}},
}

CT2_ENCODER = {
    "self_attention": {
        "self_attention/linear_0/": QUERY_KEY_VALUE,
        "self_attention/linear_1/": "w_output",
        "self_attention/layer_norm/": "norm",
    },
    "feed_forward": {
        "ffn/linear_0/": "linear_1",
        "ffn/linear_1/": "linear_2",
        "ffn/layer_norm/": "norm",
    },
}
CT2_CROSS = {
    "attention/linear_0/": "w_query",
    "attention/linear_1/": "w_key w_value",
    "attention/linear_2/": "w_output",
    "attention/layer_norm/": "norm",
}
CTRANSLATE2 = {"encoder": CT2_ENCODER, "decoder": CT2_ENCODER | {"cross_attention": CT2_CROSS}}


def named(arrays: Arrays, n_layers: int, layer: str, places: dict) -> dict[str, np.ndarray]:
    """Return the arrays of all layers under an engine's names; `layer` is its name of a layer."""
    result = {}
    for side, sublayers in places.items():
        for i in range(n_layers):
            for sublayer, engine_names in sublayers.items():
                for place, names in engine_names.items():
                    weight, bias = arrays.pair(f"{side}.layers.{i}.{sublayer}", *names.split())
                    theirs = layer.format(side=side, i=i) + place
                    result[f"{theirs}weight"] = weight
                    result[f"{theirs}bias"] = bias
    return result


def fill_nn_transformer(module, size: Size) -> None:
    """Copy the weights into a UserTransformer.

    It ends each stack with one more LayerNorm, which gets the last layer's gain and bias: a
    normalized vector is changed by eps alone when it is normalized again.
    """
    arrays = Arrays(reference_model(size))
    state = {
        f"transformer.{name}": array for name, array in to_nn_transformer(arrays.state).items()
    }
    for side, norm in (("encoder", "norm2"), ("decoder", "norm3")):
        for name, neutral in (("weight", np.ones), ("bias", np.zeros)):
            last = f"transformer.{side}.layers.{size.n_layers - 1}.{norm}.{name}"
            state[f"transformer.{side}.norm.{name}"] = state[last]
            state[last] = neutral(size.d_model, "float32")
    load(module, {"embedding.table.weight": arrays.table, **state})


def fill_marian(model, size: Size) -> None:
    """Copy the weights into a MarianMTModel. Its own bias of the logits is 0."""
    arrays = HalvedArrays(reference_model(size))
    state = named(arrays, size.n_layers, "model.{side}.layers.{i}.", MARIAN)
    tables = ("model.shared", "model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head")
    state |= {f"{table}.weight": arrays.table for table in tables}
    for side in ("encoder", "decoder"):
        state[f"model.{side}.embed_positions.weight"] = arrays.positions
    load(model, {"final_logits_bias": np.zeros((1, size.vocab_size), "float32"), **state})


def load(module, state: dict[str, np.ndarray]) -> None:
    """Fill a torch module; every name has to be there."""
    import torch

    module.load_state_dict(
        {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in state.items()}
    )


def save_ctranslate2(size: Size, folder: str) -> None:
    """Write the model as CTranslate2 reads it; the words of its vocabulary are the ids' digits."""
    from ctranslate2.specs import TransformerSpec
    from ctranslate2.specs.model_spec import index_spec

    arrays = Arrays(reference_model(size))
    spec = TransformerSpec.from_config((size.n_layers, size.n_layers), size.n_heads, pre_norm=False)
    spec.encoder.embeddings[0].weight = arrays.table
    spec.decoder.embeddings.weight = arrays.table
    spec.decoder.projection.weight = arrays.table
    spec.encoder.position_encodings.encodings = arrays.positions
    spec.decoder.position_encodings.encodings = arrays.positions
    for name, array in named(arrays, size.n_layers, "{side}/layer_{i}/", CTRANSLATE2).items():
        part, _, attribute = name.rpartition("/")
        if part.endswith("layer_norm"):
            attribute = {"weight": "gamma", "bias": "beta"}[attribute]
        setattr(index_spec(spec, part), attribute, array)
    words = [str(i) for i in range(size.vocab_size)]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.config.layer_norm_epsilon = EPS
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = words[1:4]
    spec.config.decoder_start_token = words[BOS]
    spec.validate()
    spec.optimize()
    spec.save(folder)
