"""The settings of language models alone, on every path: cache, sampling, attention weights, traces,
the step debugger, gradient checkpointing, and folders.
"""

import re

import numpy as np
import pytest

import npformer as npf
from npformer import InputError
from npformer.decoding import CachedDecoder
from npformer.layers import FeedForward, LayerNorm, SelfAttention, SwiGLU
from npformer.models import ClassifierConfig, LanguageModel, LanguageModelConfig, TransformerConfig
from npformer.tasks import TASKS, LanguageModelBatch, Objective, TextChunks, TextGenerator
from npformer.testing import gradcheck
from npformer.text import Vocabulary
from npformer.training import Adam, Trainer
from npformer.visualization import attention_weights
from npformer.visualization.stepper.figure import boxes_of
from npformer.visualization.stepper.recorder import Recorder
from tests.small_models import disturb

VOCAB, T = 11, 9
SIZES = {
    "vocab_size": VOCAB,
    "d_model": 8,
    "d_ff": 6,
    "n_heads": 4,
    "n_decoder_layers": 2,
    "max_len": 12,
    "dropout": 0.0,
    "dtype": "float64",
}
GPT2 = {
    "norm": "pre",
    "positions": "learned",
    "activation": "gelu_tanh",
    "embedding_scale": 1.0,
    "pad_id": None,
}
LLAMA = {
    "norm": "rms",
    "positions": "rotary",
    "rotary_pairs": "halves",
    "activation": "swiglu",
    "n_kv_heads": 2,
    "d_k": 6,
    "embedding_scale": 1.0,
    "attention_bias": False,
    "feed_forward_bias": False,
    "tie_embeddings": "none",
    "pad_id": None,
}
SETTINGS = {
    "norm": {"norm": "rms"},
    "embedding_norm": {"norm": "rms", "embedding_norm": True, "final_norm": False},
    "rotary": {"positions": "rotary"},
    "rotary_base": {"positions": "rotary", "rotary_base": 5.0, "embedding_norm": True},
    "rotary_pairs": {"positions": "rotary", "rotary_pairs": "halves", "d_k": 4},
    "gelu_tanh": {"activation": "gelu_tanh"},
    "swiglu": {"activation": "swiglu"},
    "n_kv_heads": {"n_kv_heads": 1},
    "feed_forward_bias": {"feed_forward_bias": False},
    "embedding_scale": {"embedding_scale": 1.5},
    "pad_id": {"pad_id": None},
    "neighbors": {**LLAMA, "neighbors": 3},
    "flash": {**LLAMA, "attention": "flash"},
    "GPT-2": GPT2,
    "Llama": LLAMA,
}
each = pytest.mark.parametrize("name", SETTINGS)


def build(name, **settings):
    """Return a model with weights of order 1."""
    config = LanguageModelConfig(**{**SIZES, **SETTINGS[name], **settings})
    rng = np.random.default_rng(0)
    model = LanguageModel(config, rng=rng)
    disturb(model, rng)
    return model


def draw_ids(model, length=T):
    """Draw ids (3, length) without padding; where the model has none, id 0 is a token."""
    first = 0 if model.config.pad_id is None else 1
    ids = np.random.default_rng(1).integers(first, VOCAB, (3, length))
    ids[0, 2] = first
    return ids


@each
@pytest.mark.parametrize("parts", [[1] * T, [4, 1, 4]], ids=str)
def test_cached_steps_equal_whole_text(name, parts):
    model = build(name)
    ids = draw_ids(model)
    whole = model.forward(ids)
    decoder = CachedDecoder(model)
    done = 0
    for length in parts:
        logits = decoder.read(ids[:, done : done + length])
        done += length
        np.testing.assert_allclose(logits[:, 0], whole[:, done - 1], rtol=0, atol=1e-12)


@each
def test_gradients(name):
    model = build(name, dropout=0.25, attention_dropout=0.25)
    gradcheck(model, draw_ids(model), rng=np.random.default_rng(2), entries=2).require_ok()


@each
def test_each_token_affects_only_its_own_and_later_logits(name):
    model = build(name, neighbors=None)
    ids = draw_ids(model)
    logits = model.forward(ids)
    for t in range(T):
        changed = ids.copy()
        changed[:, t] = ids[:, t] % (VOCAB - 1) + 1
        moved = np.abs(model.forward(changed) - logits).max((0, 2)) > 1e-9
        assert not moved[:t].any() and moved[t:].all()


@each
def test_text_after_the_end_changes_nothing(name):
    model = build(name)
    ids = draw_ids(model)
    padded = np.concatenate([ids, np.zeros((3, 2), int)], 1)
    np.testing.assert_allclose(model.forward(padded)[:, :T], model.forward(ids), rtol=0, atol=1e-12)


@each
def test_gradient_checkpointing_changes_no_result(name):
    results = []
    for is_on in (False, True):
        model = build(name, dropout=0.3, gradient_checkpointing=is_on)
        logits = model.forward(draw_ids(model))
        model.backward(logits)
        results.append([logits.tobytes(), *[p.grad.tobytes() for p in model.parameters()]])
    assert results[0] == results[1]


@each
def test_flash_attention_equals_plain_attention(name):
    plain, flash = (build(name, attention=kind) for kind in ("plain", "flash"))
    ids = draw_ids(plain)
    np.testing.assert_allclose(flash.forward(ids), plain.forward(ids), rtol=0, atol=1e-12)


@each
def test_attention_weights_are_those_of_each_head(name):
    model = build(name)
    weights = attention_weights(model, draw_ids(model)).decoder
    assert weights.shape == (2, 3, 4, T, T)
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-12)
    assert (np.triu(weights, 1) == 0).all()


@each
def test_step_debugger_records_what_trace_does(name):
    model = build(name)
    objective = Objective(model)
    ids = draw_ids(model)
    batch = LanguageModelBatch(ids[:1, :-1], ids[:1, 1:])
    with npf.trace(objective) as t:
        recording = npf.step_through(objective, batch)
    for part in ("self_attention", "feed_forward"):
        [*_, (_, dy)] = recording.find(f"decoder.layers.1.{part}.norm dy")
        np.testing.assert_array_equal(recording[dy], t[f"model.decoder.layers.1.{part}.norm"].dy)
        name = f"model.decoder.layers.1.{part}.sublayer"
        assert t[name].output.shape == t[name].dy.shape == (1, T - 1, 8)


@each
def test_boxes_of_step_debugger_have_names_of_figure_1(name):
    labels = [box["label"] for box in boxes_of(Recorder(Objective(build(name))).modules)]
    known = {
        "Input Embedding",
        "Positional Encoding",
        "Norm",
        "Masked Multi-Head Attention",
        "Feed Forward",
        "Add",
        "Add & Norm",
        "Linear",
        "Softmax, Loss",
    }
    assert set(labels) <= known and labels.count("Feed Forward") == 2


@pytest.fixture
def text():
    vocabulary = Vocabulary.build(["abc defg"], tokenizer="character", running=True)
    assert len(vocabulary) == VOCAB + 1
    return vocabulary


@each
def test_saved_generator_writes_the_same_text(name, text, tmp_path):
    model = build(name, vocab_size=len(text), dtype="float32")
    generator = TextGenerator(model, text)
    npf.save(generator, tmp_path / "saved")
    loaded = npf.load(tmp_path / "saved")
    assert loaded.model.config == model.config
    # 20 characters are more than max_len, so the cache is begun again
    written = [one.generate("ab c", 20, rng=3) for one in (generator, loaded)]
    assert written[0] == written[1]
    assert generator.generate("ab c", 20, rng=4) != written[0]


@each
def test_float32_is_as_near_as_rounding(name):
    exact = build(name)
    rounded = exact.astype("float32")
    ids = draw_ids(exact)
    logits = rounded.forward(ids)
    assert logits.dtype == "float32"
    np.testing.assert_allclose(logits, exact.forward(ids), rtol=1e-3, atol=1e-3)


def test_defaults_are_the_layers_of_the_paper():
    model = LanguageModel(LanguageModelConfig(**SIZES), rng=0)
    layer = model.decoder.layers[0]
    kinds = (type(layer.self_attention.sublayer), type(layer.feed_forward.sublayer))
    assert kinds == (SelfAttention, FeedForward)
    assert type(layer.self_attention.norm) is LayerNorm
    assert model.decoder.input_embedding.embedding.scale == 8**0.5
    assert type(build("swiglu").decoder.layers[0].feed_forward.sublayer) is SwiGLU


def test_no_token_is_padding_without_pad_id():
    model = build("pad_id")
    ids = draw_ids(model)
    ids[:, 2] = 0
    weights = attention_weights(model, ids).decoder
    assert (weights[..., 3, 2] > 0).all()
    assert (attention_weights(build("pad_id", pad_id=0), ids).decoder[..., 3, 2] == 0).all()


def test_loss_of_padded_texts_is_the_mean_over_their_tokens():
    model = build("pad_id")
    texts = [[0, 4, 0, 7, 7, 0], [5, 0, 0], [0, 0]]
    objective = Objective(model, label_smoothing=0.0)
    losses = []
    for text in texts:
        logits = model.forward(np.array([text[:-1]]))[0]
        p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
        losses += (-np.log(p[np.arange(len(text) - 1), text[1:]])).tolist()
    found = objective.forward(LanguageModelBatch.collate(texts))
    assert found == pytest.approx(np.mean(losses), rel=1e-12) and len(losses) == 8


@each
def test_training_lowers_the_loss_and_evaluation_sees_it(name, text):
    model = build(name, vocab_size=len(text), dtype="float32")
    lines = ["abc defg abc defg gfed cba"] * 8
    task = TASKS["language_model"]
    generator = TextGenerator(model, text)
    before = task.evaluate(generator, lines)
    ids = text.encode("\n".join(lines).replace("\n", " "))
    chunks = TextChunks(ids, length=12, batch_tokens=48, pad_id=model.config.pad_id)
    adam = Adam(model.parameters(), learning_rate=0.01)
    for _ in Trainer(Objective(model), adam, chunks).updates(10):
        pass
    assert task.evaluate(generator, lines).loss < 0.7 * before.loss


def test_cache_of_grouped_queries_is_smaller():
    sizes = []
    for n_kv_heads in (None, 2, 1):
        decoder = CachedDecoder(build("n_kv_heads", n_kv_heads=n_kv_heads))
        decoder.read(np.ones((1, 5), int))
        sizes.append(decoder.layers[0].token_cache.keys.size)
    assert sizes == [4 * 5 * 2, 2 * 5 * 2, 1 * 5 * 2]


REFUSED = {
    "d_k = 5 is odd: rotary positions": {"positions": "rotary", "d_k": 5, "d_v": 2},
    "d_k = 3 is odd: rotary positions": {"positions": "rotary", "d_model": 12},
    "n_heads = 4 is not divisible by n_kv_heads = 3": {"n_kv_heads": 3},
    "n_heads = 4 is not divisible by n_kv_heads = 8": {"n_kv_heads": 8},
    "n_kv_heads = 0: expected an integer >= 1": {"n_kv_heads": 0},
    "rotary_base = 0: expected a number above 0": {"rotary_base": 0},
    "rotary_base and rotary_pairs do nothing with positions = learned": {
        "positions": "learned",
        "rotary_base": 500.0,
    },
    "rotary_base and rotary_pairs do nothing with positions = sinusoidal": {
        "rotary_pairs": "halves"
    },
    "embedding_scale = 0: expected a number above 0": {"embedding_scale": 0},
    "norm = 'layer': expected one of post, pre, rms": {"norm": "layer"},
    "activation = 'swish': expected one of relu, gelu, silu, gelu_tanh, swiglu": {
        "activation": "swish"
    },
    "pad_id = 11: expected an id of the vocabulary": {"pad_id": 11},
}


@pytest.mark.parametrize("message", REFUSED)
def test_settings_that_cannot_be_are_refused_in_one_line(message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        LanguageModelConfig(**{**SIZES, **REFUSED[message]})
    assert "\n" not in str(caught.value)


def test_rotary_positions_need_no_even_d_model():
    assert LanguageModelConfig(vocab_size=9, d_model=9, n_heads=2, d_k=4, d_v=3, positions="rotary")


@pytest.mark.parametrize(
    ("config", "sizes"),
    [
        (TransformerConfig, {"src_vocab_size": 9, "tgt_vocab_size": 9}),
        (ClassifierConfig, {"vocab_size": 9, "n_classes": 2}),
    ],
)
def test_other_models_do_not_have_them(config, sizes):
    values = {"norm": "rms", "positions": "rotary", "activation": "swiglu", "pad_id": None}
    for name, value in values.items():
        with pytest.raises(InputError, match=f"{name} = "):
            config(**sizes, **{name: value})
    with pytest.raises(TypeError):
        config(**sizes, n_kv_heads=2)


def test_text_longer_than_max_len_is_refused():
    for name in ("rotary", "Llama"):
        with pytest.raises(InputError, match="more than max_len = 12"):
            build(name).forward(np.ones((1, 13), int))
        decoder = CachedDecoder(build(name))
        decoder.read(np.ones((1, 12), int))
        with pytest.raises(InputError, match="got 13 positions, more than max_len = 12"):
            decoder.read(np.ones((1, 1), int))
