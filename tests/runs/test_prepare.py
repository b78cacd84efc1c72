"""Which pairs a run trains on, and what its vocabularies know."""

import pytest

from npformer import TransformerConfig, runs
from npformer.datasets import SentencePair
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


@pytest.mark.parametrize(("warmup_steps", "told"), [(17, True), (16, False)])
def test_too_long_warmup_is_reported(warmup_steps, told, tmp_path):
    """Two epochs of eight batches, two to an update, are eight updates."""
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
        batch_tokens=3, accumulate=2, min_count=1, warmup_steps=warmup_steps, learning_rate=0.1
    )
    run = runs.begin(folder=tmp_path / "run", **files, **how)
    expected = "the learning rate rises for warmup_steps = 17 updates, and there are only 8 in all: lower it"
    assert [warning.startswith(expected) for warning in run.warnings] == [True] * told
