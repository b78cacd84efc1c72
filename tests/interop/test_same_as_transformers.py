"""Imported models of GPT-2 and Llama compute, generate and read as those of transformers."""

import shutil
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import numpy as np
import pytest

import npformer as npf
from npformer.decoding import Sampler
from npformer.interop import gpt2, llama, marian
from npformer.tasks import TASKS
from npformer.text import IdVocabulary

from .language_models import TEXT, write_gpt2

torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')
transformers = pytest.importorskip(
    "transformers", reason='transformers is missing: pip install -e ".[parity]"'
)
VOCAB, LENGTH = 17, 40
GPT2 = {"vocab_size": VOCAB, "n_embd": 15, "n_head": 3, "n_layer": 2, "n_positions": LENGTH}
LLAMA = {
    "vocab_size": VOCAB,
    "hidden_size": 18,
    "intermediate_size": 11,
    "num_attention_heads": 3,
    "num_hidden_layers": 2,
    "max_position_embeddings": LENGTH,
}
ROTARY = {"rope_type": "default", "rope_theta": 37.5}
MODELS = {
    "GPT-2": ("gpt2", {"n_inner": 19}),
    "GPT-2, default width": ("gpt2", {"layer_norm_epsilon": 1e-3}),
    "GPT-2, untied": ("gpt2", {"tie_word_embeddings": False}),
    "GPT-2, GELU": ("gpt2", {"activation_function": "gelu"}),
    "GPT-2, ReLU": ("gpt2", {"activation_function": "relu", "n_layer": 1}),
    "Llama": ("llama", {}),
    "Llama, tied": ("llama", {"tie_word_embeddings": True}),
    "Llama, grouped": ("llama", {"num_attention_heads": 9, "num_key_value_heads": 3}),
    "Llama, one head of keys": ("llama", {"num_key_value_heads": 1, "head_dim": 4}),
    "Llama, base and eps": ("llama", {"rope_parameters": ROTARY, "rms_norm_eps": 1e-2}),
    "Llama, biases": ("llama", {"attention_bias": True, "mlp_bias": True}),
}
KINDS = {
    "gpt2": (transformers.GPT2LMHeadModel, transformers.GPT2Config, GPT2),
    "llama": (transformers.LlamaForCausalLM, transformers.LlamaConfig, LLAMA),
}
each = pytest.mark.parametrize("name", MODELS)
pytestmark = pytest.mark.filterwarnings("ignore:.* does not exist.*So texts are ids:UserWarning")


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """On arrays as small as these, threads would only wait for each other."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


def make(name, dtype="float32"):
    """Return a model of transformers whose gains are not 1 and whose biases are not 0."""
    kind, settings = MODELS[name]
    model_class, config_class, sizes = KINDS[kind]
    torch.manual_seed(0)
    config = config_class(**{**sizes, **settings}, bos_token_id=None, eos_token_id=None)
    dtype = getattr(torch, dtype)
    model = model_class._from_config(config, dtype=dtype, attn_implementation="eager").eval()
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            # with small positions GPT-2 would repeat one token for ever
            scale = 2 if "wpe" in parameter_name else 0.3
            parameter += scale * torch.randn_like(parameter)
    return model


def under_our_names(name, arrays):
    """Return arrays by the names of our parameters."""
    kind, settings = MODELS[name]
    if kind == "gpt2":
        return gpt2._under_our_names(arrays, is_tied=settings.get("tie_word_embeddings", True))
    chosen = {"attention_bias", "mlp_bias", "tie_word_embeddings"} & settings.keys()
    settings = llama.LlamaSettings(**{setting: settings[setting] for setting in chosen})
    return llama._under_our_names(arrays, settings)


@pytest.mark.parametrize(
    ("settings", "config"),
    [
        (gpt2.GPT2Settings, transformers.GPT2Config),
        (llama.LlamaSettings, transformers.LlamaConfig),
        (marian.MarianSettings, transformers.MarianConfig),
    ],
)
def test_defaults_are_those_of_transformers(settings, config):
    theirs = config()
    for name, known in settings.declared().items():
        # None is what theirs computes from other settings
        assert known.default in (None, getattr(theirs, name)), name


def draw_ids(rng, length=LENGTH):
    ids = rng.integers(VOCAB, size=(3, length))
    ids[0, :2] = 0
    return ids


def assert_close(ours, theirs, tolerance, scale=None):
    scale = np.abs(theirs if scale is None else scale).max()
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale)


@contextmanager
def only_float64():
    """Let transformers compute in float64 what it computes in float32 in models of any type."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "float32", torch.float64)
        patch.setattr(torch, "float", torch.float64)
        patch.setattr(torch.Tensor, "float", torch.Tensor.double)
        yield


@each
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-10)])
def test_logits_and_gradients(rng, tmp_path, name, dtype, tolerance):
    as_it_is = nullcontext if dtype == "float32" else only_float64
    with as_it_is():
        theirs = make(name, dtype)
    theirs.save_pretrained(tmp_path)
    imported = npf.interop.load(tmp_path).model
    assert imported.config.dtype == dtype
    assert imported.n_parameters == theirs.num_parameters()
    # dropout is in the config, and is random
    config = replace(imported.config, dropout=0.0, attention_dropout=0.0)
    ours = npf.models.LanguageModel(config)
    ours.load_state_dict(imported.state_dict())

    ids = draw_ids(rng)
    with as_it_is():
        logits = theirs(torch.tensor(ids), use_cache=False).logits
        dlogits = rng.normal(size=logits.shape).astype(dtype)
        logits.backward(torch.tensor(dlogits))
    expected = logits.detach().numpy()
    assert_close(ours.forward(ids), expected, tolerance)

    ours.backward(dlogits)
    gradients = {n: p.grad.numpy() for n, p in theirs.named_parameters()}
    expected = under_our_names(name, gradients)
    found = dict(ours.named_parameters())
    assert found.keys() == expected.keys()
    for own_name, parameter in found.items():
        # the gradient of the bias of keys is 0, because softmax does not depend on it
        scale = expected[own_name.replace("w_key.bias", "w_query.bias")]
        assert_close(parameter.grad, expected[own_name], tolerance, scale)


@each
def test_greedy_generation(rng, tmp_path, name):
    theirs = make(name)
    theirs.save_pretrained(tmp_path)
    generator = npf.interop.load(tmp_path)
    assert isinstance(generator.text, IdVocabulary)
    drawn = set()
    for prompt in draw_ids(rng, 6):
        theirs_ids = theirs.generate(torch.tensor(prompt)[None], do_sample=False, max_new_tokens=30)
        found = list(generator.tokens(prompt.tolist(), 30, Sampler(top_k=1)))
        assert found == theirs_ids[0, 6:].tolist()
        drawn.update(found)
    assert len(drawn) > 1


def test_as_many_heads_of_keys_as_of_queries_are_no_groups(tmp_path):
    theirs = make("Llama")
    assert theirs.config.num_key_value_heads == theirs.config.num_attention_heads
    theirs.save_pretrained(tmp_path)
    assert npf.interop.load(tmp_path).model.config.n_kv_heads is None


@pytest.mark.parametrize("name", ["GPT-2", "Llama, grouped"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_becomes_float32(rng, tmp_path, name, dtype):
    make(name).to(getattr(torch, dtype)).save_pretrained(tmp_path)
    theirs = KINDS[MODELS[name][0]][0].from_pretrained(tmp_path, dtype=torch.float32).eval()
    ours = npf.interop.load(tmp_path).model
    ids = draw_ids(rng)
    expected = theirs(torch.tensor(ids)).logits.detach().numpy()
    assert ours.config.dtype == "float32"
    assert_close(ours.forward(ids), expected, 1e-5)


@pytest.mark.parametrize("name", ["GPT-2, untied", "Llama"])
def test_several_files(tmp_path, name):
    theirs = make(name)
    theirs.save_pretrained(tmp_path / "one")
    theirs.save_pretrained(tmp_path / "several", max_shard_size="8KB")
    assert len(list((tmp_path / "several").glob("*.safetensors"))) > 2
    expected = npf.interop.load(tmp_path / "one").model.state_dict()
    found = npf.interop.load(tmp_path / "several").model.state_dict()
    assert found.keys() == expected.keys()
    assert all((array == found[n]).all() for n, array in expected.items())


@pytest.mark.parametrize("name", ["GPT-2", "Llama, biases"])
def test_file_of_torch_save(tmp_path, name):
    theirs = make(name)
    theirs.save_pretrained(tmp_path)
    expected = npf.interop.load(tmp_path).model.state_dict()
    (tmp_path / "model.safetensors").unlink()
    torch.save(theirs.state_dict(), tmp_path / "pytorch_model.bin")
    found = npf.interop.load(tmp_path).model.state_dict()
    assert all((array == found[n]).all() for n, array in expected.items())


def test_model_without_its_generator(rng, tmp_path):
    theirs = make("GPT-2")
    theirs.transformer.save_pretrained(tmp_path)
    ids = draw_ids(rng)
    expected = theirs(torch.tensor(ids)).logits.detach().numpy()
    assert_close(npf.interop.load(tmp_path).model.forward(ids), expected, 1e-5)


LINES = [*TEXT, " two  spaces\n\nand\tmore", "I'll pay 12.50 €, naïve 東京 👩‍🚀", ""]


@pytest.mark.parametrize("file", ["tokenizer.json", "vocab.json"])
def test_tokens_of_gpt2(tmp_path, file):
    write_gpt2(tmp_path / "gpt2")
    folder = tmp_path / "gpt2"
    tokenizer = transformers.GPT2Tokenizer(
        vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt")
    )
    if file == "tokenizer.json":
        tokenizer.save_pretrained(folder)
        (folder / "vocab.json").unlink()
        (folder / "merges.txt").unlink()
    vocabulary = npf.interop.load(folder).text
    for line in LINES:
        ids = tokenizer(line).input_ids
        assert vocabulary.encode(line) == ids
        assert vocabulary.decode(ids) == tokenizer.decode(ids) == line


def test_text_continues_as_theirs(tmp_path):
    folder = tmp_path / "gpt2"
    write_gpt2(folder)
    theirs = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
    generator = npf.interop.load(folder)
    # a special token is never drawn here
    special = list(generator.text.special_ids)
    prompt = torch.tensor([generator.encode(TEXT[0])])
    how = {"do_sample": False, "max_new_tokens": 20, "suppress_tokens": special}
    ids = theirs.generate(prompt, eos_token_id=None, **how)[0, prompt.shape[1] :]
    found = generator.generate(TEXT[0], 20, temperature=0)
    assert found == generator.text.decode(ids.tolist())
    assert len(found) > 20


def test_perplexity(tmp_path):
    write_gpt2(tmp_path / "gpt2")
    theirs = transformers.GPT2LMHeadModel.from_pretrained(tmp_path / "gpt2").eval()
    generator = npf.interop.load(tmp_path / "gpt2")
    scores = TASKS["language_model"].evaluate(generator, TEXT[:1])
    ids = torch.tensor([generator.encode(TEXT[0])])
    expected = theirs(ids, labels=ids).loss.item()
    assert scores.loss == pytest.approx(expected, rel=1e-5)


def test_llama_with_the_tokenizer_of_gpt2_reads_text_and_others_read_ids(tmp_path):
    write_gpt2(tmp_path / "gpt2")
    files = {"vocab": tmp_path / "gpt2" / "vocab.json", "merges": tmp_path / "gpt2" / "merges.txt"}
    tokenizer = transformers.GPT2Tokenizer(**{name: str(file) for name, file in files.items()})
    tokenizer.save_pretrained(tmp_path / "llama")
    model_class, config_class, sizes = KINDS["llama"]
    config = config_class(**{**sizes, "vocab_size": 300}, bos_token_id=None, eos_token_id=None)
    model_class(config).save_pretrained(tmp_path / "llama")
    generator = npf.interop.load(tmp_path / "llama")
    assert generator.text.encode(TEXT[0]) == tokenizer(TEXT[0]).input_ids

    # without tokenizer.json these files do not say how text is cut
    for file in files.values():
        shutil.copy(file, tmp_path / "llama")
    (tmp_path / "llama" / "tokenizer.json").unlink()
    assert isinstance(npf.interop.load(tmp_path / "llama").text, IdVocabulary)
