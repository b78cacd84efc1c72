"""The table of data sets, and what each says of itself."""

from pathlib import Path

import pytest

import npformer
from npformer import InputError, datasets
from npformer.datasets import SentencePair, phrasebook

PACKAGE = Path(npformer.__file__).parent
ST = ("src", "tgt")
THREE = ("train", "held_out", "test")
SAID = {
    "phrasebook": ("translation", ("en", "de"), (), THREE[:2], "word", "source", "tiny", True),
    "dates": ("translation", ST, (), THREE[:2], "character", None, "tiny", True),
    "copy": ("translation", ST, (), THREE[:2], "word", None, "tiny", True),
    "reverse": ("translation", ST, (), THREE[:2], "word", None, "tiny", True),
    "sort": ("translation", ST, (), THREE[:2], "word", None, "tiny", True),
    "few_phrases": ("translation", ("en", "de"), (), THREE[:2], "word", "source", "ablation", True),
    "english": ("language_model", ST, (), THREE[:2], "character", None, "tiny_text", True),
    "mistakes": ("classification", ST, (), THREE, "word", None, "mistakes", True),
    "ag_news": ("classification", ST, (), THREE, None, None, "ag_news", False),
    "couplets": (
        "translation",
        ("first", "second"),
        (),
        THREE,
        "character",
        None,
        "couplets",
        False,
    ),
    "multi30k": (
        "translation",
        ("en", "de"),
        ("en-de", "de-en"),
        THREE,
        None,
        None,
        "multi30k",
        False,
    ),
    "sentence_polarity": ("classification", ST, (), THREE, None, None, "sentence_polarity", False),
    "shakespeare": ("language_model", ST, (), THREE[:2], "character", None, "shakespeare", False),
    "trec": ("classification", ST, (), THREE, None, None, "trec", False),
}


def test_registry_lists_all_data_sets():
    assert list(datasets.registry()) == list(SAID)
    for name, data in datasets.registry().items():
        said = (
            data.languages,
            data.directions,
            data.parts,
            data.tokenizer,
            data.lowercase,
            data.recipe,
            data.is_synthetic,
        )
        assert (data.name, (data.task, *said)) == (name, SAID[name])


def test_few_phrases_is_a_thousand_phrasebook_pairs():
    train, held_out = datasets.get("few_phrases").load("train", "held_out", seed=3)
    assert (train, held_out) == phrasebook.split(1000, 500, seed=3)


@pytest.mark.parametrize("name", ["latin", "", None, ["copy"], 3])
def test_unknown_name_error_lists_known_names(name):
    with pytest.raises(InputError) as caught:
        datasets.get(name)
    assert str(caught.value) == f"data set {name!r} is unknown: expected one of {', '.join(SAID)}"


@pytest.mark.parametrize("name", ["reverse", "dates"])
def test_parts_have_requested_order_and_depend_on_seed(name):
    data = datasets.get(name)
    train, held_out = data.load("train", "held_out", seed=2)
    assert (len(held_out), data.load("held_out", "train", seed=2)) == (500, [held_out, train])
    assert data.load("held_out") != [held_out]


def test_unknown_part_is_rejected():
    with pytest.raises(
        InputError, match="copy has no part 'test': expected some of train, held_out"
    ):
        datasets.get("copy").load("test")


@pytest.mark.parametrize(
    ("name", "direction", "language"),
    [
        ("multi30k", None, "de"),
        ("multi30k", "en-de", "de"),
        ("multi30k", "de-en", "en"),
        ("phrasebook", None, None),
    ],
)
def test_target_language_of_each_data_set(name, direction, language):
    assert datasets.get(name).target_language(direction) == language


@pytest.mark.parametrize(
    ("name", "expected"),
    [("copy", "none, because there is only one"), ("multi30k", "en-de, de-en")],
)
def test_unknown_direction_is_rejected_before_reading(name, expected):
    with pytest.raises(InputError, match=f"direction = 'en-fr': expected .*{expected}"):
        datasets.get(name).load("train", direction="en-fr")


def test_data_set_from_files(tmp_path):
    for name, text in {"a": "1\n2\n3\n", "b": "x\ny\nz\n", "c": "4\n", "d": "w\n"}.items():
        (tmp_path / name).write_text(text)
    a, b, c, d = (tmp_path / name for name in "abcd")
    data = datasets.from_files(a, b, c, d)
    assert (data.name, data.task, data.recipe) == ("run", "translation", "small")
    train, held_out = data.load("train", "held_out")
    assert (train, held_out) == (
        [SentencePair("1", "x"), SentencePair("2", "y"), SentencePair("3", "z")],
        [("4", "w", ())],
    )
    train, held_out = datasets.from_files(a, b).load("train", "held_out")
    assert (len(train), len(held_out)) == (2, 1) and not set(train) & set(held_out)


def test_sentences_are_stripped_of_whitespace(tmp_path):
    for name, text in {"a": " 1 \n2\n", "b": "x\t\n y\n"}.items():
        (tmp_path / name).write_text(text)
    a, b = tmp_path / "a", tmp_path / "b"
    assert datasets.from_files(a, b, a, b).load("train") == [
        [SentencePair("1", "x"), SentencePair("2", "y")]
    ]


def test_files_of_one_part_are_read_without_those_of_the_other(tmp_path):
    (tmp_path / "c").write_text("4\n")
    data = datasets.from_files(tmp_path / "gone", tmp_path / "gone", tmp_path / "c", tmp_path / "c")
    assert data.load("held_out") == [[SentencePair("4", "4")]]
    data = datasets.from_files(tmp_path / "c", tmp_path / "c", tmp_path / "gone", tmp_path / "gone")
    assert data.load("train") == [[SentencePair("4", "4")]]


def test_held_out_file_without_its_translations_is_rejected(tmp_path):
    message = "held_out_src and held_out_tgt belong together: give both or neither"
    with pytest.raises(InputError, match=message):
        datasets.from_files(tmp_path / "a", tmp_path / "b", tmp_path / "c")


@pytest.mark.parametrize(
    "name", [name for name, data in datasets.registry().items() if not data.is_synthetic]
)
def test_each_direction_of_a_published_set_has_its_text_to_try(name):
    data = datasets.get(name)
    if name == "couplets":  # a line of an old poem is as good as any
        assert data.text_to_try() is None
        return
    texts = [data.text_to_try(direction) for direction in data.directions or [None]]
    assert len(set(texts)) == len(texts) and all(texts)
    assert data.text_to_try() == texts[0]


def test_text_to_try_is_in_the_language_that_is_read():
    data = datasets.get("multi30k")
    assert data.text_to_try("en-de").startswith("Two dogs ")
    assert data.text_to_try("de-en").startswith("Zwei Hunde ")
