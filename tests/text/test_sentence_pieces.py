"""SentencePieces: the ids, places and names of a text's pieces, and the files that keep them."""

import io

import pytest

from npformer import InputError
from npformer.text import BOS, EOS, PAD, UNK, SentencePieceVocabulary

sentencepiece = pytest.importorskip(
    "sentencepiece", reason='sentencepiece is missing: pip install -e ".[marian]"'
)
LINES = [
    f"the {noun} {verb} the old {noun}."
    for noun in ("dog", "cat", "fox")
    for verb in ("sees", "hears", "knows")
]
SPECIAL = ["<pad>", "<unk>", "<bos>", "<eos>"]


@pytest.fixture(scope="module")
def spm():
    out = io.BytesIO()
    how = {"vocab_size": 45, "hard_vocab_limit": False, "minloglevel": 2, "num_threads": 1}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(LINES), model_writer=out, **how)
    return out.getvalue()


@pytest.fixture(scope="module")
def vocabulary(spm):
    model = sentencepiece.SentencePieceProcessor(model_proto=spm)
    return SentencePieceVocabulary(
        [*SPECIAL, ">>deu<<", *map(model.id_to_piece, range(3, len(model)))], spm
    )


def test_text_round_trip(vocabulary):
    for line in LINES:
        assert vocabulary.decode([PAD, BOS, *vocabulary.encode(line), EOS, UNK]) == line
    assert UNK not in vocabulary.encode(LINES[0])


@pytest.mark.parametrize("language", ["", ">>deu<<"])
def test_piece_spans_match_the_text(vocabulary, language):
    text = f"{language} the  dog\tsees"
    places = [text[start:end] for start, end in vocabulary.spans(text)]
    pieces = [piece.removeprefix("▁") for piece in vocabulary.split(text)]
    assert [place for piece, place in zip(pieces, places, strict=True) if piece] == [
        piece for piece in pieces if piece
    ]
    assert "".join(pieces) == f"{language}thedogsees"
    assert (vocabulary.encode(text)[0] == len(SPECIAL)) is (language != "")


def test_unknown_pieces_are_listed_once(vocabulary):
    assert vocabulary.unknown("the ☃ sees the ☃") == ["☃"]
    assert vocabulary.encode("☃")[-1] == UNK
    assert vocabulary.unknown(">>fra<< the dog") == [">>fra<<"]


@pytest.mark.parametrize("after", ["", "the dog"])
def test_pieces_concatenate_to_the_text(vocabulary, after):
    ids = [BOS, *vocabulary.encode(LINES[0]), EOS]
    pieces = list(vocabulary.pieces(ids, after))
    assert len(pieces) == len(ids)
    assert "".join(pieces) == (" " if after else "") + LINES[0]


def test_vocabulary_file_round_trip(vocabulary, spm):
    again = SentencePieceVocabulary.from_json(vocabulary.to_json(), spm)
    assert again.encode(LINES[3]) == vocabulary.encode(LINES[3])
    assert (len(again), again.tokens, again.tokenizer, again.lowercase) == (
        len(vocabulary),
        vocabulary.tokens,
        "sentencepiece",
        False,
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value.update(spm="0" * 64), "is not the one that it was written with"),
        (lambda value: value.update(tokens=[*SPECIAL, "a", "a"]), "distinct strings"),
        (lambda value: value.update(tokens=SPECIAL[1:]), "the first four"),
        (lambda value: value.update(tokens=[*SPECIAL, 5]), "a list of distinct strings"),
    ],
)
def test_damaged_vocabulary_is_reported(vocabulary, spm, change, message):
    value = vocabulary.to_json()
    change(value)
    with pytest.raises(InputError, match=message):
        SentencePieceVocabulary.from_json(value, spm)


@pytest.mark.parametrize("spm", [b"", b"no model"])
def test_invalid_spm_file_is_reported(spm):
    with pytest.raises(InputError, match=r"the \.spm file is damaged"):
        SentencePieceVocabulary(SPECIAL, spm)
