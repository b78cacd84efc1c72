"""`npformer step`: a page for each task, and one line for what cannot be used."""

import inspect
from functools import partial

import numpy as np
import pytest

import npformer as npf
from npformer.cli import main
from npformer.cli import step as verb
from npformer.cli.step import _make_batch
from npformer.layers import LayerNorm
from npformer.text import Vocabulary

_lines, _first = inspect.getsourcelines(LayerNorm.backward)
# the last line of LayerNorm.backward
LINE = f"layers/layer_norm.py:{_first + len(_lines) - 1}"
BUG = "LayerNorm.backward: no mean term"


@pytest.mark.parametrize("target", [[], ["der Hund schläft ."]])
def test_step_writes_page_for_translation(command, trained_run, tmp_path, target):
    out = tmp_path / "step.html"
    status, printed, err = command("step", trained_run, "the dog sleeps .", *target, "--html", out)
    assert (status, printed, err) == (0, f"{out}\n", "")
    assert (
        "<title>Step by step: the dog sleeps . &#8594; der Hund schl&#228;ft . &#183; loss "
        in out.read_text()
    )


def test_unknown_words_are_reported_and_only_records_a_part(command, trained_run, tmp_path):
    out = tmp_path / "step.html"
    status, _, err = command(
        "step", trained_run, "the dragon sleeps .", "--html", out, "--only", "decoder.layers.0"
    )
    assert (status, err) == (0, "npformer: unknown, read as <unk>: dragon\n")
    assert (
        "<td>decoder.layers.0.feed_forward</td>" in out.read_text()
        and "<td>encoder" not in out.read_text()
    )


def test_step_accepts_label_for_classifier(command, refused, classifier_run, tmp_path):
    out = tmp_path / "step.html"
    for target in ([], ["animal"]):
        assert (
            command("step", classifier_run, "the dog sleeps .", *target, "--html", out).status == 0
        )
    for target in ("plant", ""):
        assert f"the label {target!r} was never seen in training" in refused(
            "step", classifier_run, "the dog sleeps .", target, "--html", out
        )


def test_step_accepts_continuation_for_language_model(command, tmp_path, small):
    text = tmp_path / "text.txt"
    text.write_text("the dog sleeps . the cat sings . " * 30)
    cut = small.index("--n-encoder-layers")
    sizes = [*small[:cut], *small[cut + 2 :], "--max-len", "24", "--epochs", "1"]
    run, out = tmp_path / "run", tmp_path / "step.html"
    assert main(["train", "--text", str(text), *sizes, "--run", str(run)]) == 0
    for target in ([], ["sleeps ."]):
        assert command("step", run, "the dog", *target, "--html", out).status == 0
    unknown = "npformer: target: unknown, read as <unk>: 漢\n"
    assert command("step", run, "the dog", "漢", "--html", out).err == unknown


def test_unknown_words_of_the_target_are_reported(command, trained_run, tmp_path):
    outcome = command("step", trained_run, "the dog", "der Drache", "--html", tmp_path / "x.html")
    assert outcome == (
        0,
        f"{tmp_path / 'x.html'}\n",
        "npformer: target: unknown, read as <unk>: Drache\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["", "--html", "x.html"], "the sentence is empty"),
        (["the dog", "--html", "x.pdf"], "expected a name that ends in .html"),
        (
            ["the dog", "--html", "none/x.html"],
            "cannot write none/x.html: No such file or directory",
        ),
        (["the dog", "--only", "nothing"], "only = 'nothing': expected the name of a layer"),
        (["the dog", "der " * 40], "more than max_len = 12"),
    ],
)
def test_step_rejects_invalid_arguments(
    refused, trained_run, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    assert message in refused("step", trained_run, *arguments)
    assert not list(tmp_path.iterdir())


def test_bug_and_line_are_compared_with_the_update_as_it_is(
    command, trained_run, tmp_path, monkeypatch
):
    # 200 updates take seconds
    monkeypatch.setattr("npformer.cli.step.what_if", partial(npf.what_if, n_updates=2))
    out = tmp_path / "step.html"
    for change in (
        ["--bug", BUG],
        ["--what-if", LINE, "return rstd * (dxhat - xhat * projection)"],
    ):
        status, printed, err = command(
            "step", trained_run, "the dog sleeps .", *change, "--html", out
        )
        assert (status, err) == (0, "")
        [summary, check, name] = printed.splitlines()
        assert "the first: returned (decoder.layers." in summary
        assert "norm backward, npformer/layers/layer_norm.py" in summary
        assert check.startswith("The gradient check finds this change. It ran LayerNorm alone")
        assert name == str(out)
        assert "What if" in out.read_text()


def test_comparison_begins_after_an_update_that_moved_no_weight(command, trained_run, monkeypatch):
    seen = []

    def what_if(objective, batch, change, adam, *, history, **record):
        seen.append((objective, change, adam, history))
        raise npf.InputError("seen")

    monkeypatch.setattr(verb, "what_if", what_if)
    bug = ("--bug", BUG)
    line = ("--what-if", LINE, "return dy")
    for run, option in ((trained_run, bug), ("phrasebook", line)):
        assert command("step", run, "the dog .", *option).err == "npformer: seen\n"

    then = "as it was trained. Adam has seen the same batch once before without moving a weight"
    models = (f"that of {trained_run}", "the translator that ships (phrasebook)")
    for (_, _, _, history), model in zip(seen, models, strict=True):
        assert history.startswith(f"The model is {model} {then}, so")
    assert [change for _, change, *_ in seen] == [BUG, {LINE: "return dy"}]

    objective, _, adam, _ = seen[0]
    assert (adam.steps, adam.learning_rate_at(2)) == (1, 1e-3)
    np.testing.assert_allclose(adam.m, 0.1 * adam.grad, rtol=1e-5)
    assert adam.m.any()
    trained = npf.load(trained_run).model.state_dict()
    for name, array in objective.model.state_dict().items():
        np.testing.assert_array_equal(array, trained[name])


def test_only_compares_a_part(command, trained_run, tmp_path, monkeypatch):
    monkeypatch.setattr("npformer.cli.step.what_if", partial(npf.what_if, n_updates=0))
    part = ["--only", "encoder", "--html", tmp_path / "step.html"]
    _, printed, _ = command("step", trained_run, "the dog .", "--bug", BUG, *part)
    # in the whole model the decoder's backward comes first
    assert "the first: dy (encoder" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bug", "no mean"], "no planted bug is called 'no mean': the closest are"),
        (["--what-if", "layers/layer_norm.py:1", "x = 1"], "line 1 of layers/layer_norm.py"),
        (["--what-if", "layers/layer_norm.py", "x = 1"], "expected the number of a line"),
        (["--what-if", LINE, "return ("], "is not Python"),
        (["--bug", BUG, "--what-if", LINE, "return dy"], "not allowed with argument"),
    ],
)
def test_change_that_cannot_be_made_writes_nothing(
    refused, trained_run, tmp_path, arguments, message
):
    out = tmp_path / "step.html"
    assert message in refused("step", trained_run, "the dog .", *arguments, "--html", out)
    assert not out.exists()


@pytest.mark.parametrize("special_tokens", ["eos", "both", "none"])
def test_translator_reads_what_it_reads_to_translate(special_tokens):
    words = Vocabulary.build(["a b c"])
    config = npf.TransformerConfig.tiny(
        src_vocab_size=len(words),
        tgt_vocab_size=len(words),
        source_special_tokens=special_tokens,
        start_id=0,
    )
    translator = npf.Translator(npf.Transformer(config, rng=0), words, words)
    seen = []
    translator.model.encode = lambda src: (
        seen.append(src) or type(translator.model).encode(translator.model, src)
    )
    translator.translate(["a b"])
    batch = _make_batch(translator, "a b", "b a")
    assert batch.src.tolist() == seen[0].tolist()
    assert batch.tgt_in.tolist() == [[0, *words.encode("b a")]]


def test_classifier_reads_what_it_reads_to_classify(classifier_run):
    classifier = npf.load(classifier_run)
    batch = _make_batch(classifier, "the dog sleeps .", None)
    assert batch.inputs[0].tolist() == [classifier.encode("the dog sleeps .")]
    assert batch.targets.tolist() == [classifier.label.id("animal")]
    assert _make_batch(classifier, "the dog sleeps .", "person").targets.tolist() == [
        classifier.label.id("person")
    ]


def test_language_model_adds_its_most_probable_token(text_run):
    generator = npf.load(text_run)
    ids = generator.encode("the dog")
    most_probable = generator.model.forward(np.array([ids]))[0, -1].argmax()
    # again and again, so that a drawn token would be another one
    for _ in range(20):
        batch = _make_batch(generator, "the dog", None)
        assert batch.targets[0].tolist() == [*ids[1:], most_probable]
    batch = _make_batch(generator, "the dog", " runs")
    assert batch.inputs[0].tolist() == [generator.encode("the dog run")]
    assert batch.targets.tolist() == [generator.encode("he dog runs")]
