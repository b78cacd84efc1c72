"""A text that continues: what the cache gives is what reading it all again gives, by the rule of
the last half.
"""

import math

import numpy as np
import pytest

from npformer import InputError
from npformer.backend import to_host
from npformer.decoding import CachedDecoder
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import TextGenerator
from npformer.text import BPEVocabulary, Vocabulary
from tests.small_models import disturb

LETTERS = "abcdefgh "
VARIANTS = [
    {},
    {"norm": "pre", "positions": "learned", "tie_embeddings": "none"},
    {"d_k": 5, "d_v": 3, "attention_bias": False},
    {"dropout": 0.5, "attention_dropout": 0.5},
    {"neighbors": 2},
    {"max_len": 1},
]


def language_model(vocab_size, *, seed=0, **settings):
    sizes = dict(d_model=16, d_ff=24, n_heads=2, n_decoder_layers=2, max_len=8, dtype="float64")
    model = LanguageModel(
        LanguageModelConfig(vocab_size=vocab_size, **{**sizes, **settings}), rng=seed
    )
    rng = np.random.default_rng(seed)
    disturb(model, rng)
    return model


def make_writer(**settings):
    vocabulary = Vocabulary.build([LETTERS], tokenizer="character", running=True)
    return TextGenerator(language_model(len(vocabulary), **settings), vocabulary)


def greedy_text_by_whole_prefixes(writer, prompt, n):
    """Read all that is remembered again for each token; beyond max_len only the last half is
    remembered.
    """
    max_len, ids = writer.model.config.max_len, writer.encode(prompt)
    first = 0
    for _ in range(n):
        if len(ids) - first > max_len:
            first = len(ids) - max(max_len // 2, 1)
        with writer.model.evaluating():
            logits = to_host(writer.model.forward(np.array([ids[first:]])))[0, -1]
        logits[:4] = -math.inf
        ids.append(int(logits.argmax()))
    return writer.text.decode(ids[len(ids) - n :])


@pytest.mark.parametrize("settings", VARIANTS, ids=str)
@pytest.mark.parametrize(
    "prompt", ["a", "abc", "abcdefgh", "hgfedcba abc", "ab cd ef gh ab cd ef gh"]
)
def test_greedy_text_equals_whole_prefix_beyond_max_len(settings, prompt):
    writer = make_writer(**settings)
    assert writer.generate(prompt, 30, temperature=0) == greedy_text_by_whole_prefixes(
        writer, prompt, 30
    )


def test_each_token_is_read_once_until_max_len(monkeypatch):
    read = []
    for name in ("read",):
        plain = getattr(CachedDecoder, name)

        def note(self, tokens, plain=plain):
            read.append(tokens.shape[1])
            return plain(self, tokens)

        monkeypatch.setattr(CachedDecoder, name, note)
    make_writer().generate("abcdef", 12, rng=0)
    assert read == [6, 1, 1, 4, 1, 1, 1, 1, 4, 1, 1, 1]


def test_generated_text_depends_on_the_seed():
    writer = make_writer()
    first, same, other = (writer.generate("ab", 40, rng=seed) for seed in (1, 1, 2))
    assert first == same != other
    assert writer.generate("ab", 40, rng=np.random.default_rng(1)) == first
    assert writer.generate("ab", 40) != writer.generate("ab", 40)
    assert first == writer.generate("ab", 40, temperature=1.0, rng=1)
    assert first == "".join(writer.stream("ab", 40, rng=1))


def test_two_hundred_tokens_are_drawn_by_default(monkeypatch):
    writer, asked = make_writer(), []
    monkeypatch.setattr(writer, "tokens", lambda ids, n, draw: asked.append(n) or iter([]))
    writer.generate("ab")
    list(writer.stream("ab"))
    assert asked == [200, 200]


def test_temperature_0_is_greedy_regardless_of_other_settings():
    writer = make_writer()
    likeliest = writer.generate("ab", 20, top_k=1)
    assert writer.generate("ab", 20, temperature=0) == likeliest
    assert writer.generate("ab", 20, temperature=0.0, top_k=5, top_p=0.9, rng=3) == likeliest


def test_top_k_of_1_and_the_smallest_top_p_are_greedy():
    writer = make_writer()
    greedy = writer.generate("ab", 20, temperature=0)
    assert writer.generate("ab", 20, top_k=1, rng=3) == greedy
    assert writer.generate("ab", 20, top_p=1e-9, rng=3) == greedy
    assert writer.generate("ab", 20, rng=3) != greedy


def test_special_tokens_are_never_sampled():
    writer = make_writer(tie_embeddings="none")
    writer.model.generator.table.data[:4] *= 100  # likely, wherever their sign is right
    ids = list(writer.tokens(writer.encode("a"), 100, lambda logits: logits.argmax(-1)))
    assert min(ids) > 3
    text = writer.generate("a", 100, temperature=5.0, rng=0)
    assert len(text) == 100 and set(text) == set(LETTERS)


@pytest.mark.parametrize(
    ("prompt", "settings", "expected"),
    [
        ("", {}, "the prompt is empty: give at least one token"),
        ("a", {"max_new_tokens": -3}, "max_new_tokens = -3: expected an integer >= 1"),
        ("a", {"temperature": -1}, "temperature = -1"),
        ("a", {"top_k": 0}, "top_k = 0"),
        ("a", {"top_p": 1.5}, "top_p = 1.5: expected a probability above 0 and at most 1"),
        ("a", {"top_p": 0}, "top_p = 0"),
    ],
)
def test_invalid_stream_arguments_are_rejected_immediately(prompt, settings, expected):
    with pytest.raises(InputError) as caught:
        make_writer().stream(prompt, **settings)  # before the first piece is asked for
    assert expected in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("tokenizer", ["word", "bpe"])
def test_streamed_pieces_equal_decoded_ids(tokenizer):
    lines = ["Who am I? (I am.)", "Größe 😀 Hut", "Who is, who?"]
    if tokenizer == "word":
        vocabulary = Vocabulary.build(lines, running=True)
    else:
        vocabulary = BPEVocabulary.build(lines, size=290)
    writer = TextGenerator(language_model(len(vocabulary), max_len=16), vocabulary)
    drawn = []
    plain = writer.tokens
    writer.tokens = lambda ids, n, choose: (drawn.append(i) or i for i in plain(ids, n, choose))
    text = "".join(writer.stream("Who", 40, rng=5))
    whole = vocabulary.decode([*vocabulary.encode("Who"), *drawn])
    assert len(drawn) == 40
    assert whole.startswith("Who" + text) and whole[3 + len(text) :].strip("\ufffd") == ""
