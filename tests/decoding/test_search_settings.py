"""The search of a model by default: the paper's settings, or those that it came with."""

import pytest

import npformer as npf
from npformer import runs
from npformer.datasets import SentencePair
from npformer.decoding import BeamSearchConfig, beam_search
from npformer.tasks import evaluate

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


def as_options(given):
    options = []
    for name, value in given.items():
        options += [f"--{name.replace('_', '-')}", value]
    return options


PAIRS = [SentencePair(SENTENCES[0], "der Hund schläft .")]
# what translates in a run folder with settings of the search
PATHS = {
    "translate": lambda run, command, given: npf.load(run).translate(SENTENCES, **given),
    "n_best": lambda run, command, given: npf.load(run).n_best(SENTENCES, **given),
    "evaluate": lambda run, command, given: evaluate(npf.load(run), PAIRS, **given),
    "run.evaluate": lambda run, command, given: runs.resume(run).evaluate(**given),
    "npformer translate": lambda run, command, given: command(
        "translate", run, *SENTENCES, *as_options(given)
    ),
    "npformer translate --n-best": lambda run, command, given: command(
        "translate", run, *SENTENCES, "--n-best", 2, *as_options(given)
    ),
    "npformer evaluate": lambda run, command, given: command("evaluate", run, *as_options(given)),
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "given", [{}, {"beam": 3}, {"alpha": 1.5}, {"length_normalization": "length"}], ids=str
)
def test_each_setting_arrives_on_each_path(run_copy, command, monkeypatch, path, given):
    came = []

    def search(*arguments, beam, alpha, length_normalization, **rest):
        came.append({"beam": beam, "alpha": alpha, "length_normalization": length_normalization})
        return beam_search(*arguments, **came[-1], **rest)

    monkeypatch.setattr("npformer.tasks.translator.beam_search", search)
    PATHS[path](run_copy, command, given)
    expected = {"beam": 4, "alpha": 0.6, "length_normalization": "wu"} | given
    assert came and all(settings == expected for settings in came)
