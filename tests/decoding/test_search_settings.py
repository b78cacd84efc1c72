"""The search of a model by default: the paper's settings, or those that it came with."""

import pytest

import npformer as npf
from npformer.decoding import BeamSearchConfig

SENTENCES = ["the dog sleeps .", "the cat sees ."]


@pytest.fixture
def make_translator_with_search(trained_run, tmp_path):
    """Save the trained model with a search of its own, and load it."""

    def run(**settings):
        translator = npf.load(trained_run)
        translator.search = BeamSearchConfig(**settings)
        npf.save(translator, tmp_path / "own")
        return npf.load(tmp_path / "own")

    return run


def test_trained_model_has_search_settings_of_the_paper(trained_run, tmp_path):
    translator = npf.load(trained_run)
    assert translator.search == BeamSearchConfig(beam=4, alpha=0.6, length_normalization="wu")
    npf.save(translator, tmp_path / "copy")
    assert npf.load(tmp_path / "copy").search == translator.search


@pytest.mark.parametrize(
    "own", [{"beam": 2}, {"alpha": 0.0}, {"length_normalization": "length"}, {"beam": 1}]
)
def test_stored_search_settings_are_the_default(make_translator_with_search, own):
    translator = make_translator_with_search(**own)
    assert translator.search == BeamSearchConfig(**own)
    assert translator.translate(SENTENCES) == translator.translate(SENTENCES, **own)
    assert translator.n_best(SENTENCES) == translator.n_best(SENTENCES, **own)


def test_arguments_override_stored_search_settings(make_translator_with_search):
    translator = make_translator_with_search(beam=3, alpha=0.0, length_normalization="length")
    said = translator.n_best(SENTENCES, beam=4, alpha=0.6, length_normalization="wu")
    translator.search = BeamSearchConfig()
    assert said == translator.n_best(SENTENCES)
    assert said != translator.n_best(SENTENCES, alpha=0.0)


def test_command_line_uses_stored_search_settings(make_translator_with_search, command, tmp_path):
    translator = make_translator_with_search(beam=2, alpha=2.0, length_normalization="length")
    lines = command("translate", tmp_path / "own", "--n-best", 2, *SENTENCES).out.splitlines()
    expected = [
        best
        for row in translator.n_best(
            SENTENCES, n=2, beam=2, alpha=2.0, length_normalization="length"
        )
        for best in row
    ]
    assert [line.split("\t")[1:] for line in lines] == [
        [f"{best.score:.4f}", best.text] for best in expected
    ]
