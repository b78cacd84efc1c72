"""What `evaluate` scores: which pairs, in which case, token by token, and by which search."""

from unicodedata import normalize

import pytest

from npformer import InputError
from npformer.datasets import SentencePair
from npformer.evaluation import TranslationScores, bleu_and_chrf
from npformer.evaluation.translation import BleuChrf
from npformer.tasks import Batches, Translation, Translator, evaluate, mean_loss
from npformer.text import BPEVocabulary, Vocabulary

LINE = "Der große Hund schläft dort drüben ."


@pytest.fixture
def make_translator(make_model):
    def make(*, max_len=20, source_lower=False, target_lower=False):
        source, target = (
            Vocabulary.build([LINE], lowercase=lower) for lower in (source_lower, target_lower)
        )
        sizes = dict(src_vocab_size=len(source), tgt_vocab_size=len(target), tie_embeddings="none")
        return Translator(make_model(max_len=max_len, **sizes), source, target)

    return make


@pytest.fixture
def writes(monkeypatch):
    """Let every translator write this text, and return the settings that the search was asked
    for.
    """

    def write(text):
        asked = []

        def translations(self, sources, **settings):
            asked.append(settings)
            return [[Translation(text, 0.0)] for _ in sources]

        monkeypatch.setattr(Translator, "translations", translations)
        return asked

    return write


@pytest.mark.parametrize("source_lower", [False, True])
def test_only_lowercase_models_are_scored_without_case(make_translator, writes, source_lower):
    writes(LINE.lower())
    lower, mixed = (
        evaluate(
            make_translator(source_lower=source_lower, target_lower=folds),
            [SentencePair(LINE, LINE)],
        ).text
        for folds in (True, False)
    )
    assert lower == bleu_and_chrf([LINE], [LINE.lower()], lowercase=True)
    assert (round(lower.bleu, 9), round(lower.chrf, 9)) == (100.0, 100.0)
    assert mixed == bleu_and_chrf([LINE.lower()], [LINE]) and mixed.bleu < 60 and mixed.chrf < 90


def test_exact_match_compares_tokens(make_translator, writes):
    writes("Der Hund .")
    pairs = [
        SentencePair("Hund", text)
        for text in ("Der Hund.", "Der  Hund .", "DerHund .", "der Hund .")
    ]
    assert evaluate(make_translator(), pairs).equal == [True, True, False, False]
    assert evaluate(make_translator(target_lower=True), pairs).equal == [True, True, False, True]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("has_subwords", [False, True])
def test_letters_are_compared_in_whatever_form_they_are_written(
    make_translator, make_model, writes, form, has_subwords
):
    translator = make_translator()
    if has_subwords:
        subwords = BPEVocabulary.build([], size=260)
        model = make_model(src_vocab_size=260, tgt_vocab_size=260, max_len=60)
        translator = Translator(model, subwords, subwords)
    writes(normalize(form, LINE))
    for other in ("NFC", "NFD"):
        found = evaluate(translator, [SentencePair("Hund", normalize(other, LINE))])
        scores = found.text.bleu, found.text.chrf, found.tokens.bleu
        assert scores == pytest.approx((100, 100, 100)) and found.equal == [True]


def test_white_space_around_sentences_is_ignored(make_model, writes):
    writes("Hund")
    subwords = BPEVocabulary.build([], size=260)  # which reads white space
    model = make_model(src_vocab_size=260, tgt_vocab_size=260)
    translator = Translator(model, subwords, subwords)
    assert translator.encode(" Hund\t") == translator.encode("Hund")
    found = evaluate(translator, [SentencePair(" Hund\t", "\n Der Hund ")])
    assert found.pairs == [SentencePair("Hund", "Der Hund")]


def test_pairs_can_be_plain_tuples_as_in_training(make_translator, writes):
    writes("Der Hund")
    found = evaluate(make_translator(), [("Hund", "Der Hund")])
    assert found.pairs == [SentencePair("Hund", "Der Hund")] and found.equal == [True]


@pytest.mark.parametrize("examples", [["ab", "cd"], [("a", None)], [("a", "b", "c", "d")], "ab"])
def test_what_are_no_pairs_of_texts_is_refused(make_translator, examples):
    with pytest.raises(InputError, match=r"^pairs .*: expected a list of pairs"):
        evaluate(make_translator(), examples)


@pytest.mark.parametrize("batch_tokens", [1, 4, 4096])
def test_sentences_up_to_max_len_are_scored(make_translator, batch_tokens):
    """With <eos>, four words are five tokens."""
    translator, four, five = (
        make_translator(max_len=5),
        "Der Hund schläft .",
        "Der große Hund schläft .",
    )
    pairs = [
        SentencePair(*sides) for sides in [(four, four), (five, four), (four, five), ("Hund", ".")]
    ]
    found = evaluate(translator, pairs, batch_tokens=batch_tokens)
    assert (found.pairs, found.left_out) == ([pairs[0], *pairs[2:]], 1)
    with_loss = [
        (translator.source.encode(a), translator.target.encode(b))
        for a, b, *_ in (pairs[0], pairs[3])
    ]
    assert found.without_loss == 1
    assert found.loss == pytest.approx(
        mean_loss(translator.model, Batches(with_loss, batch_tokens=99)), rel=1e-6
    )


def test_batch_tokens_limits_the_batches_of_the_loss(make_translator, writes, monkeypatch):
    writes("Hund")
    translator = make_translator()
    sizes = []
    usual = translator.model.forward

    def forward(src, tgt):
        sizes.append(src.size)
        return usual(src, tgt)

    monkeypatch.setattr(translator.model, "forward", forward)
    # two tokens each, with <eos>
    evaluate(translator, [SentencePair("Hund", "Hund")] * 6, batch_tokens=4)
    assert sizes == [4, 4, 4]


def test_search_settings_are_used(make_translator, writes):
    asked, how = (
        writes("Hund"),
        {"beam": 7, "alpha": 0.25, "length_normalization": "length", "batch_tokens": 33},
    )
    evaluate(make_translator(), [SentencePair("Hund", "Hund")], **how)
    assert asked == [how]


@pytest.fixture
def scores():
    return TranslationScores(
        pairs=[SentencePair("a", "b"), SentencePair("c", "d")],
        translations=["b", "x\ny"],
        equal=[True, False],
        text=BleuChrf(12.346, "S1", 45.678, "S2"),
        tokens=BleuChrf(23.456, "S3", 56.789, "S4"),
        language=None,
        positions=None,
        loss=0.5,
        without_loss=0,
        left_out=0,
    )


def test_table_of_scores(scores):
    lines = [
        "sentences     2",
        "exact match   50.0%",
        "BLEU          12.35   on text   S1",
        "BLEU          23.46   on the model's tokens   S3",
        "chrF          45.68   on text   S2",
        "loss          0.5000  nats per token, perplexity 1.649",
    ]
    assert scores.table().splitlines() == lines
    lines[0] += ", 3 left out (no source, or too long)"
    lines[3] = "BLEU          23.46   on Moses tokens (de), lower case   S3"
    lines[5] += " (left out: 1 with an empty or too long reference)"
    others = scores._replace(language="de", left_out=3, without_loss=1)
    assert others.table().splitlines() == lines


def test_examples_mark_what_differs(scores):
    lines = [
        "translations (* differs from the reference)",
        "",
        "  source     a",
        "  output     b",
        "  reference  b",
        "",
        "  source     c",
        "* output     x y",
        "  reference  d",
    ]
    assert scores.examples(2).splitlines() == lines
    assert scores.examples(1).splitlines() == lines[:5]
