"""Byte-level byte pairs: every text comes back, in parts too, and the files are checked."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import npformer as npf
from npformer import InputError
from npformer.models import LanguageModel, LanguageModelConfig, Transformer, TransformerConfig
from npformer.tasks import TASKS, TextGenerator, Translator
from npformer.tasks.language_modeling import _running_ids
from npformer.text import ByteLevelVocabulary, Vocabulary
from tests.property_test import property_test

LINES = ["the cat and the dog", "then the cat, naïve 😀", "das  Straßenbild 12 12\n\n"]


@pytest.fixture(scope="module")
def vocabulary():
    return ByteLevelVocabulary.build(LINES, size=290)


@property_test
@given(one=st.text(), two=st.text())
def test_texts_joined_as_ids_come_back(vocabulary, one, two):
    ids = vocabulary.encode(one) + vocabulary.encode(two)
    assert vocabulary.decode(ids) == one + two
    assert "".join(vocabulary.pieces(ids)) == one + two


@property_test
@given(text=st.text())
def test_spans_are_the_places_of_the_bytes(vocabulary, text):
    ids = vocabulary.encode(text)
    spans = vocabulary.spans(text)
    assert len(spans) == len(ids)
    for i, (start, end) in zip(ids, spans, strict=True):
        piece = vocabulary.decode([i])
        # a token of a part of a character has the place of the whole one
        assert piece == text[start:end] or ("\ufffd" in piece and end > start)


@property_test
@given(data=st.data())
def test_pieces_of_any_ids_are_their_text(vocabulary, data):
    ids = data.draw(st.lists(st.integers(0, len(vocabulary) - 1)))
    assert "".join(vocabulary.pieces(ids)) == vocabulary.decode(ids)


def test_pieces_hold_back_part_of_a_character(vocabulary):
    euro = vocabulary.encode("€")
    assert list(vocabulary.pieces(euro)) == ["", "", "€"]
    assert list(vocabulary.pieces(euro[:2])) == ["", "", "\ufffd"]
    assert list(vocabulary.pieces(vocabulary.encode(" the"), "on ")) == [" the"]


def test_special_token_is_read_only_where_allowed(vocabulary):
    text = "a<|endoftext|> b"
    assert vocabulary.eos_id == len(vocabulary) - 1
    assert vocabulary.encode(text, special_tokens=True)[1] == vocabulary.eos_id
    assert vocabulary.eos_id not in vocabulary.encode(text)
    assert vocabulary.decode(vocabulary.encode(text)) == text
    assert vocabulary.decode(vocabulary.encode(text, special_tokens=True)) == "a b"


def test_special_tokens_may_come_first(vocabulary):
    tokens = ["<a>", "<a>b", *vocabulary.coded_tokens[:-1]]
    other = ByteLevelVocabulary(tokens, vocabulary.merges)
    assert other.special_ids == (0, 1)
    assert other.eos_id is None
    assert other.encode("!") == [2]
    # the longer name counts where one begins with another
    assert other.encode("<a>b<a>", special_tokens=True) == [1, 0]
    assert other.decode([1, 2, 3]) == '!"'


def test_size_is_the_number_of_tokens():
    assert len(ByteLevelVocabulary.build(LINES, size=265)) == 265
    assert len(ByteLevelVocabulary.build([], size=9999)) == 257
    assert len(ByteLevelVocabulary.build(LINES, size=257)) == 257
    with pytest.raises(InputError, match=r"^size = 256: expected an integer >= 257, all 256 bytes"):
        ByteLevelVocabulary.build(LINES, size=256)
    with pytest.raises(InputError, match="is one text: expected several lines"):
        ByteLevelVocabulary.build("the dog", size=300)


def test_tokens_are_shown_as_people_read_them(vocabulary):
    assert vocabulary.split(" the é") == ["␣the", "␣", "\\xc3", "\\xa9"]
    assert vocabulary.split("\x00\x85") == ["\\x00", "\\xc2", "\\x85"]
    assert vocabulary.unknown("語") == []


def test_files_are_read(vocabulary, tmp_path):
    ids = {token: i for i, token in enumerate(vocabulary.coded_tokens)}
    lines = [" ".join(merge) for merge in vocabulary.merges]
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    vocab.write_text(json.dumps(ids))
    merges.write_text("\n".join(["#version: 0.2", *lines, ""]), encoding="utf-8")
    again = ByteLevelVocabulary.from_files(vocab, merges)
    assert again.to_json() == vocabulary.to_json()

    merges.write_text("a b c\n")
    message = r"vocab.json and .*merges.txt: merge 0 is 'a b c': expected two tokens"
    with pytest.raises(InputError, match=message):
        ByteLevelVocabulary.from_files(vocab, merges)
    for ids in ('{"a": 1}', '{"a": 0, "b": "1"}', '{"a": 0, "b": true}'):
        vocab.write_text(ids)
        with pytest.raises(InputError, match="it is not a vocabulary: expected a dict from"):
            ByteLevelVocabulary.from_files(vocab, merges)
    vocab.write_text('{"a": 0}')
    merges.write_text("a b\n")
    message = r"vocab.json and .*merges.txt: 256 tokens are missing, such as '!': expected all 256 "
    with pytest.raises(InputError, match=message):
        ByteLevelVocabulary.from_files(vocab, merges)


def test_files_may_have_no_merges(vocabulary, tmp_path):
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    ids = {token: i for i, token in enumerate(vocabulary.coded_tokens[:256])}
    vocab.write_text(json.dumps(ids))
    merges.write_text("")
    assert ByteLevelVocabulary.from_files(vocab, merges).merges == []


def test_tokenizer_json_is_read(vocabulary, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(tokenizer_json(vocabulary)))
    assert ByteLevelVocabulary.from_tokenizer_json(path).to_json() == vocabulary.to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value.pop("model"), "it has no vocabulary of byte pairs"),
        (lambda value: value.pop("pre_tokenizer"), "its pre-tokenizer is None: expected ByteLevel"),
        (
            lambda value: value["pre_tokenizer"].update(add_prefix_space=True),
            "its pre-tokenizer is",
        ),
        (lambda value: value["pre_tokenizer"].update(use_regex=False), "its pre-tokenizer is"),
        (lambda value: value["pre_tokenizer"].update(type="Split"), "pre-tokenizer is .*'Split'"),
        (lambda value: value.update(normalizer={"type": "NFC"}), "it has normalizer = .*NFC"),
        (lambda value: value["model"].update(ignore_merges=True), "it has ignore_merges = True"),
        (lambda value: value["model"].pop("merges"), "it has no list of merges"),
        (
            lambda value: value["added_tokens"].append({"special": True, "content": "<s>"}),
            "expected a dict from token to id",
        ),
        (
            lambda value: value["added_tokens"].append({"special": True}),
            "it has the added token {'special': True}: expected a dict with content",
        ),
        (
            lambda value: value["added_tokens"].append("<|endoftext|>"),
            r"it has the added token '<\|endoftext\|>': expected a dict with content",
        ),
        (
            lambda value: value.update(added_tokens={"a": 1}),
            "its added_tokens is a dict: expected a list",
        ),
        (
            lambda value: value.update(pre_tokenizer=["x"]),
            "its pre_tokenizer is a list: expected a dict",
        ),
        (
            lambda value: value.update(post_processor="x"),
            "its post_processor is a str: expected a dict",
        ),
        (
            lambda value: value["added_tokens"].append({"id": 270, "content": "  "}),
            "it splits text at '  ' first",
        ),
        (
            lambda value: value.update(
                post_processor={"type": "TemplateProcessing", "special_tokens": {"<s>": {}}}
            ),
            "its post_processor adds tokens",
        ),
        (
            lambda value: value["model"].update(end_of_word_suffix="_"),
            "it has end_of_word_suffix = _: expected none, as in GPT-2",
        ),
        (lambda value: value["model"].update(continuing_subword_prefix="#"), "_subword_prefix = #"),
        (lambda value: value["model"].update(dropout=0.1), "it has dropout = 0.1"),
        (lambda value: value.update(post_processor={"type": "Bert"}), "its post_processor adds"),
    ],
)
def test_foreign_tokenizer_json_is_refused(vocabulary, change, message, tmp_path):
    value = tokenizer_json(vocabulary)
    change(value)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(value))
    with pytest.raises(InputError, match=message) as caught:
        ByteLevelVocabulary.from_tokenizer_json(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value["pre_tokenizer"].pop("use_regex"),
        lambda value: value["pre_tokenizer"].pop("add_prefix_space"),
        lambda value: value.update(post_processor={"type": "ByteLevel"}),
        lambda value: value.update(
            post_processor={"type": "TemplateProcessing", "special_tokens": {}}
        ),
        lambda value: value["model"].update(merges=list(map(" ".join, value["model"]["merges"]))),
    ],
)
def test_tokenizer_json_may_say_the_same_in_another_way(vocabulary, change, tmp_path):
    value = tokenizer_json(vocabulary)
    change(value)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(value))
    assert ByteLevelVocabulary.from_tokenizer_json(path).to_json() == vocabulary.to_json()


def tokenizer_json(vocabulary):
    """What the library tokenizers writes of a vocabulary whose last token is special."""
    ids = {token: i for i, token in enumerate(vocabulary.coded_tokens)}
    end = ids.pop("<|endoftext|>")
    merges = [list(merge) for merge in vocabulary.merges]
    return {
        "added_tokens": [{"id": end, "content": "<|endoftext|>", "special": True}],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "vocab": ids, "merges": merges},
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value["tokens"].pop(3), "1 tokens are missing"),
        (lambda value: value["tokens"].append("a"), "the token 'a' occurs 2 times"),
        (lambda value: value.update(tokens=[5]), "expected a list of 'tokens'"),
        (lambda value: value.update(merges="a b"), "it has no list of merges"),
        (lambda value: value["merges"].append("a"), "expected two tokens with a space between"),
        (lambda value: value["merges"].append("q q"), "1 tokens are missing, such as 'qq'"),
    ],
)
def test_damaged_vocabulary_is_reported(vocabulary, change, message):
    value = json.loads(json.dumps(vocabulary.to_json()))
    change(value)
    with pytest.raises(InputError, match=message):
        ByteLevelVocabulary.from_json(value)


def test_generator_is_saved_loaded_and_draws_no_special_token(tmp_path):
    vocabulary = ByteLevelVocabulary.build(LINES, size=258)
    config = LanguageModelConfig(
        vocab_size=258, d_model=8, n_heads=2, d_ff=8, n_decoder_layers=1, max_len=16, pad_id=None
    )
    generator = TextGenerator(LanguageModel(config, rng=0).eval(), vocabulary)
    npf.save(generator, tmp_path / "run")
    loaded = npf.load(tmp_path / "run")
    assert loaded.text.to_json() == vocabulary.to_json()

    scores = []

    def draw(logits):
        scores.append(logits[0].copy())
        return np.array([5])

    assert list(loaded.tokens(loaded.encode("a"), 1, draw)) == [5]
    [drawn_from] = scores
    # the ids 0 to 3, which are special in other vocabularies, are text
    assert np.flatnonzero(np.isneginf(drawn_from)).tolist() == [vocabulary.eos_id]


def test_generator_needs_a_model_that_hides_no_token_of_text(vocabulary):
    sizes = {"vocab_size": len(vocabulary), "d_model": 8, "n_heads": 2, "n_decoder_layers": 1}
    model = LanguageModel(LanguageModelConfig(**sizes), rng=0)
    message = "the model hides token 0 as padding, which in this vocabulary is '!': build the model"
    with pytest.raises(InputError, match=message):
        TextGenerator(model, vocabulary)

    for pad_id in (None, vocabulary.eos_id):
        model = LanguageModel(LanguageModelConfig(**sizes, pad_id=pad_id), rng=0)
        assert TextGenerator(model, vocabulary).generate("a!", 3, rng=0)


def test_every_token_of_text_is_evaluated(vocabulary):
    sizes = {"vocab_size": len(vocabulary), "d_model": 8, "n_heads": 2, "n_decoder_layers": 1}
    model = LanguageModel(LanguageModelConfig(**sizes, max_len=4, pad_id=None), rng=0)
    scores = TASKS["language_model"].evaluate(TextGenerator(model, vocabulary), ["a!!! b!"])
    assert 0 in vocabulary.encode("a!!! b!")
    assert scores.tokens == len(vocabulary.encode("a!!! b!")) - 1 and scores.loss > 0


def test_documents_are_joined_by_the_end_of_text(vocabulary):
    with_end = _running_ids(["a", "b"], vocabulary)
    assert with_end == [*vocabulary.encode("a"), vocabulary.eos_id, *vocabulary.encode("b")]
    without = ByteLevelVocabulary(vocabulary.coded_tokens[:-1], vocabulary.merges)
    assert without.special_ids == ()
    assert _running_ids(["a", "b"], without) == without.encode("ab")


def test_translation_needs_special_tokens(vocabulary):
    """The ids 0 to 3 are ordinary tokens, which would be taken for <pad>, <bos> and <eos>."""
    words = Vocabulary.build(LINES)
    config = TransformerConfig.tiny(
        src_vocab_size=len(words), tgt_vocab_size=len(vocabulary), tie_embeddings="none"
    )
    with pytest.raises(InputError, match="target is a ByteLevelVocabulary, which has no <pad>"):
        Translator(Transformer(config, rng=0), words, vocabulary)
    with pytest.raises(InputError, match="source is a ByteLevelVocabulary, which has no <pad>"):
        npf.batches([("the cat", "das")], vocabulary, words)
