import math

import pytest

import npformer as npf
from npformer import InputError
from npformer.tasks import translator as translator_module

SENTENCES = [
    "the dog sleeps .",
    "cat",
    "the big bear sings",
    "the fox",
    "the king sees .",
    "dog dog dog dog dog",
]


@pytest.fixture(scope="module")
def translator(trained_run):
    return npf.load(trained_run)


def test_translations_have_the_order_of_the_sentences(translator):
    one_by_one = [translator.translate([sentence])[0] for sentence in SENTENCES]
    assert len(set(one_by_one)) > 1
    assert translator.translate(SENTENCES) == one_by_one
    assert translator.translate(SENTENCES[::-1]) == one_by_one[::-1]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("", "the sentence is empty: give at least one word"),
        (" \t ", "the sentence is empty"),
        ("dog " * 12, "13 tokens with <eos>, more than max_len = 12"),
    ],
)
def test_sentence_that_cannot_be_translated_is_rejected(translator, sentence, expected):
    with pytest.raises(InputError, match=expected) as caught:
        translator.translate(["the dog", sentence])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("settings", [{"beam": 0}, {"beam": 1, "alpha": -1}, {"alpha": 400}])
def test_out_of_range_settings_are_rejected(translator, settings):
    for sentences in ([], SENTENCES):
        with pytest.raises(InputError, match=r"(beam|alpha) = "):
            translator.translate(sentences, **settings)


def test_n_best_texts_equal_search_results(translator):
    best = translator.n_best(SENTENCES, n=3, beam=3)
    assert [translations[0].text for translations in best] == translator.translate(
        SENTENCES, beam=3
    )
    assert all(len(translations) <= 3 for translations in best)
    for sentences in (SENTENCES, []):  # of none, too, for which nothing is searched
        with pytest.raises(InputError, match="n_best = 3 with beam = 2"):
            translator.n_best(sentences, n=3, beam=2)


def test_number_of_translations_is_at_least_1(translator):
    with pytest.raises(InputError, match="n_best = 0"):
        translator.n_best(SENTENCES, n=0)


@pytest.mark.parametrize("beam", [1, 4])
def test_string_is_treated_as_one_sentence(translator, beam):
    sentence = "the dog sleeps ."
    assert translator.translate(sentence, beam=beam) == translator.translate([sentence], beam=beam)
    assert translator.n_best(sentence, n=beam, beam=beam) == translator.n_best(
        [sentence], n=beam, beam=beam
    )
    assert len(translator.translate(sentence, beam=beam)) == 1


@pytest.fixture
def asked(monkeypatch):
    """What each search of a translator is asked for, next to the model and the sentences."""
    found = {}

    def recorded(name):
        usual = getattr(translator_module, name)
        monkeypatch.setattr(
            translator_module, name, lambda *given, **how: found.update(how) or usual(*given, **how)
        )

    for name in ("beam_search", "greedy_decode", "decode_batched"):
        recorded(name)
    return found


@pytest.mark.parametrize("n", [None, 2])
def test_search_receives_translation_settings(translator, asked, n):
    how = {"beam": 3, "alpha": 0.25, "length_normalization": "length", "batch_tokens": 9}
    translator.n_best(SENTENCES[:2], n=n, **how) if n else translator.translate(
        SENTENCES[:2], **how
    )
    assert asked == how | {"n_best": n or 1}


def test_n_best_with_beam_of_one_has_a_score(translator):
    [[best]] = translator.n_best(SENTENCES[0], beam=1)
    assert best.text == translator.translate(SENTENCES[0], beam=1)[0] and -20 < best.score < 0
    [[greedy]] = translator.translations([translator.encode(SENTENCES[0])], beam=1)
    assert greedy.text == best.text and math.isnan(greedy.score)


@pytest.mark.parametrize(
    "given", [b"", b"the dog", {"the dog": 1}, 5, [b"the dog"], [None]], ids=repr
)
def test_input_that_is_not_text_is_rejected(translator, given):
    with pytest.raises(InputError, match="expected a text, or a list of texts, as str"):
        translator.translate(given)


def test_vocabularies_that_do_not_fit_the_model_are_rejected(translator):
    model, source = translator.model, translator.source
    with pytest.raises(InputError) as caught:
        npf.Translator(model, source)
    expected = "expected the vocabularies, or names, of source and target"
    assert str(caught.value) == f"Translator got 1 besides the model: {expected}"
    with pytest.raises(InputError) as caught:
        npf.Translator(model, source, npf.Vocabulary.build(["a b"]))
    sizes = f"the model has tgt_vocab_size = {len(translator.target)}, and target has 6"
    assert str(caught.value) == f"{sizes}: give what the model was trained with"


def test_translator_repr_shows_sizes(translator):
    n, sizes = translator.model.n_parameters, (len(translator.source), len(translator.target))
    assert repr(translator) == "Translator({:,} parameters, source: {}, target: {})".format(
        n, *sizes
    )
