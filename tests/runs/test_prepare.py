"""Which pairs a run trains on, and what its vocabularies know."""

import pytest

from npformer import InputError, TransformerConfig, runs
from npformer.datasets import LabeledText, SentencePair
from npformer.runs.settings import TrainingSettings
from npformer.tasks import TASKS
from npformer.text import Vocabulary
from tests.runs.with_settings import WithSettings


@pytest.mark.parametrize(("max_len", "batch_tokens"), [(5, 100), (100, 5), (5, 5)])
@pytest.mark.parametrize(("marks", "room"), [("eos", 4), ("both", 3), ("none", 5)])
@pytest.mark.parametrize("longest", [(True, True), (True, False), (False, True)])
def test_pairs_of_exactly_the_maximum_length_are_used(max_len, batch_tokens, marks, room, longest):
    """With <eos>, four words are five tokens."""
    vocabulary = Vocabulary.build(["a"])
    sides = [(room if longest[0] else 1, 4 if longest[1] else 1), (1, 1), (room + 1, 1), (1, 5)]
    pairs = [SentencePair("a " * n_source, "a " * n_target) for n_source, n_target in sides]
    config = TransformerConfig.tiny(
        src_vocab_size=5, tgt_vocab_size=5, max_len=max_len, source_special_tokens=marks
    )
    batches, left_out = WithSettings(
        "translation", dataset="copy", batch_tokens=batch_tokens
    ).batches(pairs, (vocabulary, vocabulary), config)
    assert [tuple(map(len, pair)) for pair in batches.examples] == sides[:2] and left_out == 2


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("lowercase", ["none", "source", "both"])
def test_vocabularies_match_the_lowercase_setting(lowercase, joint):
    pairs = [SentencePair("The DOG", "Der HUND")]
    made = WithSettings("translation", dataset="copy", min_count=1, lowercase=lowercase)
    source, target = made.vocabularies(pairs, {"tie_embeddings": "all" if joint else "target"})
    sources = {"the", "dog"} if lowercase != "none" else {"The", "DOG"}
    targets = {"der", "hund"} if lowercase == "both" else {"Der", "HUND"}
    assert not source.unknown("The DOG") and not target.unknown("Der HUND")
    assert (set(source.tokens[4:]), set(target.tokens[4:])) == (
        (sources | targets, sources | targets) if joint else (sources, targets)
    )


@pytest.mark.parametrize("lowercase", ["none", "source", "both"])
@pytest.mark.parametrize(
    ("task", "dataset", "examples"),
    [
        ("classification", "trec", [LabeledText("x", "The"), LabeledText("y", "DOG")]),
        ("language_model", "english", ["The DOG"]),
    ],
)
def test_the_one_side_of_other_tasks_is_lowercased_too(task, dataset, examples, lowercase):
    made = WithSettings(task, dataset=dataset, min_count=1, lowercase=lowercase)
    text = made.vocabularies(examples, {})[0]
    expected = {"The", "DOG"} if lowercase == "none" else {"the", "dog"}
    assert (set(text.tokens[4:]), text.lowercase) == (expected, lowercase != "none")


def test_subwords_are_learned_from_both_sides():
    made = WithSettings("translation", dataset="copy", tokenizer="bpe", vocab_size=300)
    source, target = made.vocabularies([SentencePair("dog dog", "hund hund")], {})
    assert source is target and {"dog▁", "hund▁"} <= set(source.tokens)


@pytest.mark.parametrize(
    ("marks", "told"), [("eos", " with <eos>"), ("both", " with <bos> and <eos>"), ("none", "")]
)
def test_pairs_of_which_none_can_be_used_are_counted(marks, told):
    vocabulary = Vocabulary.build(["a"])
    config = TransformerConfig.tiny(
        src_vocab_size=5, tgt_vocab_size=5, max_len=5, source_special_tokens=marks
    )
    pairs = [SentencePair("a " * 9, "a"), SentencePair("", "a")]
    with pytest.raises(InputError) as caught:
        WithSettings("translation", dataset="copy").batches(pairs, (vocabulary, vocabulary), config)
    assert str(caught.value) == (
        "none of 2 sentence pairs can be used: each has an empty side, a source of more than "
        f"5 tokens{told} (the smaller of max_len and batch_tokens), or a target of more with <eos>"
    )


@pytest.mark.parametrize(
    ("direction", "language"), [(None, "de"), ("en-de", "de"), ("de-en", "en")]
)
def test_translations_are_scored_in_the_language_of_the_direction(direction, language):
    settings = TrainingSettings(dataset="multi30k", direction=direction)
    assert TASKS["translation"].evaluate_defaults(settings) == {"language": language}


@pytest.mark.parametrize(("warmup_steps", "told"), [(13, True), (12, False)])
def test_too_long_warmup_is_reported(warmup_steps, told, tmp_path):
    """Two epochs of eight batches, three to an update and then two, are six updates."""
    how = dict(d_model=8, d_ff=8, n_heads=1, n_encoder_layers=1, n_decoder_layers=1, epochs=2)
    pairs = ["a b"] * 8, ["b a"] * 8
    for name, lines in zip(("src", "tgt"), pairs, strict=True):
        (tmp_path / name).write_text("\n".join(lines))
    files = {
        f"{prefix}{name}": tmp_path / name
        for name in ("src", "tgt")
        for prefix in ("", "held_out_")
    }
    how |= dict(
        batch_tokens=3, accumulate=3, min_count=1, warmup_steps=warmup_steps, learning_rate=0.1
    )
    run = runs.begin(folder=tmp_path / "run", **files, **how)
    expected = "the learning rate rises for warmup_steps = 13 updates, and there are only 6 in all: lower it"
    assert [warning.startswith(expected) for warning in run.warnings] == [True] * told


@pytest.mark.parametrize(("tokenizer", "told"), [("word", True), ("character", False)])
def test_words_torn_at_their_combining_marks_are_reported(tokenizer, told, tmp_path):
    pairs = [("hello", "नमस्ते"), ("there", "नमस्ते")]
    run = runs.begin(
        pairs=pairs,
        tokenizer=tokenizer,
        d_model=8,
        n_heads=1,
        min_count=1,
        warmup_steps=1,
        folder=tmp_path / "run",
    )
    warning = (
        "the texts have combining marks, which tokenizer = word tears from their letters: "
        "choose bpe or character"
    )
    assert run.warnings == [warning] * told
