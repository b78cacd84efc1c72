"""`npformer course translate`, `train` and `write`: a model with a student's parts."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from npformer import LabelSmoothingLoss, load
from npformer.datasets import sequences
from npformer_course import course
from npformer_course.cli import own_model
from npformer_course.cli.own_model import floors
from npformer_course.course import stem
from npformer_course.student import folder
from npformer_course.student.student_layers import MODEL_PARTS, TRAINED
from tests.run_here import key_text

pytestmark = pytest.mark.usefixtures("without_sandbox")
PARTS = ["positions", "heads", "linear", "layer_norm", "greedy"]


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """Write a folder with right answers, except where something wrong is given for a part."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def write(wrong=None, more=()):
        ids = [*PARTS, *more]
        folder.start(tmp_path, ids)
        for id in ids:
            text = key_text(course.load(id))
            if wrong and id in wrong:
                right, mistake = wrong[id]
                assert right in text
                text = text.replace(right, mistake)
            (tmp_path / f"{stem(id)}.py").write_text(text, encoding="utf-8")

    return write


def listed(ids):
    """Return ids as a line has them, in the order of the course."""
    return ", ".join(id for id in MODEL_PARTS if id in ids)


def test_translation_with_own_parts(command, answers):
    answers()
    status, out, err = command("course", "translate", "The dog sleeps.")
    assert (status, err) == (0, "")
    assert f"Yours: {listed(PARTS)}.\nnpformer's in place of: " in out
    assert out.endswith("The dog sleeps.\n  yours, by greedy decoding: Der Hund schläft.\n")


def test_part_that_is_wrong_in_the_model_alone_is_found(command, answers):
    # an exercise on sentences of a few words does not see it, the model does
    right = "return x + table[start : start + T]"
    answers({"positions": (right, f"if T > 8:\n        return x\n    {right}")})
    status, out, err = command("course", "translate")
    assert (status, err) == (1, "")
    assert f"Yours: {listed(PARTS)}." in out
    assert "The first difference is in the encoder's positions.\n" in out
    assert "npformer's: Ich schalte jeden Tag das neue Radio aus.\n" in out


def test_sentence_that_cannot_be_read(answers, refused):
    answers()
    assert "the sentence is empty" in refused("course", "translate", " ")


def test_words_that_the_translator_does_not_know_are_named(command, answers):
    answers()
    assert "unknown, read as <unk>: zz" in command("course", "translate", "The zz sleeps.").err


def test_characters_that_the_writer_does_not_know_are_named(command, answers):
    answers(more=["top_p"])
    assert "unknown, read as <unk>: 漢" in command("course", "write", "漢").err


def test_training_names_parts_that_do_not_pass(command, answers, replace_examples):
    answers(
        {
            "linear": ("return x @ w + b", "return x @ w"),
            "heads": ("by_position = heads.swapaxes(1, 2)", "by_position = heads"),
            "layer_norm": ("var + eps", "var"),
        }
    )
    replace_examples("reverse", *sequences.split("reverse", 200, 8))
    status, out, err = command("course", "train", "--epochs", "1")
    assert (status, err) == (0, "")
    assert f"Yours: {listed(['positions', 'greedy'])}." in out
    others = listed(TRAINED - {"positions", "greedy"})
    assert f"npformer's in place of: {others}. " in " ".join(out.split())
    assert "update     1   loss " in out and "(floor 0.547)" in out
    assert "epoch 1 ends: held-out loss " in out
    assert "of 8 sentences that it has never seen come out reversed." in out


class Reverser:
    """A trained translator that reverses rows, except of an odd number of digits."""

    model = None

    def translate(self, sources, *, beam):
        assert beam == 1
        return [source[::-1] if source.count(" ") % 2 else source for source in sources]


class ShownRun:
    """A run of three updates that takes no time."""

    settings = SimpleNamespace(label_smoothing=0.1, epochs=1)
    config = SimpleNamespace(tgt_vocab_size=14)
    model = SimpleNamespace(n_parameters=12345)
    held_out = [
        SimpleNamespace(source="1 2", target="2 1"),
        SimpleNamespace(source="1 2 3", target="3 2 1"),
    ]

    def updates(self):
        start, floor = 2.547, floors(0.1, 14)[0]
        for step, loss in ((1, start), (2, 9.0), (41, floor + (start - floor) / 4)):
            yield SimpleNamespace(
                step=step, loss=loss, ends_epoch=step == 41, epoch=1, held_out_loss=0.5
            )

    def predictor(self):
        return Reverser()


def test_training_is_shown_line_by_line(command, answers, tmp_path, monkeypatch):
    def begin(*arguments, **settings):
        begun.append((arguments, settings["d_model"], settings["epochs"]))
        return ShownRun()

    begun = []
    times = iter([10.0, 16.0])
    folder.start(tmp_path, ["greedy"])
    monkeypatch.setattr(own_model.runs, "begin", begin)
    monkeypatch.setattr(own_model, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    out = command("course", "train", "--epochs", "4").out
    assert begun == [(("reverse",), 64, 4)]
    assert "\n12,345 parameters, 1 epoch.\n" in out
    assert out.splitlines()[-8:] == [
        f"update     1   loss 2.547 (floor 0.547) {'█' * 40}",
        f"update    41   loss 1.047 (floor 0.547) {'█' * 10}",
        "epoch 1 ends: held-out loss 0.500 (floor 0.097)",
        "3 updates in 6 s, 2.000 s each.",
        "1 2  ->  2 1",
        "1 2 3  ->  1 2 3",
        "1 of 2 sentences that it has never seen come out reversed.",
        "Of 50 rows of twelve digits, longer than any in training: 50.",
    ]


@pytest.mark.parametrize(
    ("options", "text", "expected"),
    [
        ("Once --temperature 0.5 --top-p 0.8 --seed 3", "Once", (0.5, 0.8, 3)),
        ("", "The ", (1.0, 0.9, None)),
    ],
)
def test_options_of_a_text_arrive(command, answers, tmp_path, monkeypatch, options, text, expected):
    def generate(*arguments, **settings):
        given.append((arguments, tuple(settings.values())))
        assert list(settings) == ["temperature", "top_p", "rng"]
        return " upon\na time"

    given = []
    folder.start(tmp_path, ["greedy"])
    writer = SimpleNamespace(generate=generate, unknown=lambda text: [])
    monkeypatch.setattr(own_model, "load", lambda name: writer)
    out = command("course", "write", *options.split()).out
    assert given == [((text, 200), expected)]
    assert out.endswith(f"{text} upon\na time\n")


RETURNED = "return x + table[start : start + T]"


def test_result_that_the_model_cannot_use_gives_no_traceback(command, answers, replace_examples):
    answers({"positions": (RETURNED, f"if T > 10:\n        return 1\n    {RETURNED}")})
    replace_examples("reverse", *sequences.split("reverse", 200, 8))
    status, out, err = command("course", "train", "--epochs", "1")
    assert (status, err) == (1, "")
    assert "05_positions: the model cannot use what it returns: AttributeError: " in out
    assert out.rstrip().endswith("?")  # the question that a check asks


def test_exception_of_a_function_in_a_training_names_its_line(command, answers, replace_examples):
    answers({"positions": (RETURNED, f"if T > 10:\n        1 / 0\n    {RETURNED}")})
    replace_examples("reverse", *sequences.split("reverse", 200, 8))
    status, out, err = command("course", "train", "--epochs", "1")
    assert (status, err) == (1, "")
    assert "05_positions: the call of add_positions ended in line " in out
    assert "with ZeroDivisionError: division by zero\n" in out


def test_what_no_function_of_the_learner_raises_is_not_hidden(command, answers, monkeypatch):
    def broken(*arguments, **settings):
        raise ZeroDivisionError("npformer's own")

    answers()
    monkeypatch.setattr(own_model.runs, "begin", broken)
    with pytest.raises(ZeroDivisionError):
        own_model.train(SimpleNamespace(dataset="reverse", epochs=1, rotary=False))


def test_digits_are_reversed_with_own_rotary_positions(command, answers, replace_examples):
    answers(more=["rotary", "kv_cache"])
    replace_examples("reverse", *sequences.split("reverse", 200, 8))
    status, out, err = command("course", "train", "--epochs", "1", "--rotary")
    assert (status, err) == (0, "")
    # neither sinusoids nor a cache of keys that are not turned
    assert f"Yours: {listed(['heads', 'linear', 'layer_norm', 'greedy', 'rotary'])}." in out
    assert "of 8 sentences that it has never seen come out reversed." in out


def test_rotary_positions_of_the_translator(answers, refused):
    answers()
    assert "trains reverse only" in refused("course", "train", "phrasebook", "--rotary")


def test_text_is_drawn_by_own_top_p(command, answers):
    answers(more=["top_p", "kv_cache"])
    arguments = ("course", "write", "The old man ", "--temperature", "0.5", "--top-p", "0.5")
    status, out, err = command(*arguments, "--seed", "1")
    assert (status, err) == (0, "")
    own = listed(["positions", "heads", "linear", "layer_norm", "top_p", "kv_cache"])
    assert f"Yours: {own}." in out and "npformer's in place of: embedding," in out
    assert "\nThe old man " in out and len(out.partition("The old man")[2]) > 150
    assert command(*arguments, "--seed", "1").out == out


def test_text_with_a_top_p_that_fails_in_the_model(command, answers):
    right = "return (running <= u[:, None]).sum(1)"
    raising = f"if len(u) == 1 and probabilities.shape[1] > 20:\n        1 / 0\n    {right}"
    answers({"top_p": (right, raising)}, more=["top_p"])
    status, out, err = command("course", "write")
    assert (status, err) == (1, "")
    assert "24_top_p: the call of draw_tokens ended in line " in out


@pytest.mark.usefixtures("fewer_phrases")
def test_translator_is_trained_in_a_folder_and_continues(command, answers, tmp_path):
    answers({"greedy": ("def greedy(", "print('my file')\n\n\ndef greedy(")})
    status, out, err = command("course", "train", "phrasebook", "--epochs", "1")
    assert (status, err) == (0, "")
    assert "my file" in out and "epoch 1 ends: held-out loss " in out
    told = "\nruns/your-phrasebook is a run folder: after Ctrl-C the same command continues.\n"
    assert told in out
    first = out
    assert "I turn off the new radio every day.\ngreedy decoding: " in out
    assert load(tmp_path / "runs" / "your-phrasebook").translate("The dog sleeps.", beam=1)

    status, out, err = command("course", "train", "phrasebook", "--epochs", "2")
    assert (status, err) == (0, "")
    [steps] = re.findall(r"^(\d+) updates in ", first, re.MULTILINE)
    assert f"\nruns/your-phrasebook continues after {steps} updates.\n" in out
    assert "epoch 1 ends" not in out and "epoch 2 ends" in out
    # and once it is done, it is only used
    out = command("course", "train", "phrasebook", "--epochs", "2").out
    assert "epoch" not in out.partition("continues")[2].partition("2 epochs.")[2]
    assert "greedy decoding: " in out


def test_floors_are_the_losses_of_the_smoothed_labels_themselves():
    eps, vocab_size = 0.1, 14
    smoothed = np.full(vocab_size, eps / vocab_size)
    smoothed[5] += 1 - eps
    logits = np.log(smoothed)[None]
    expected = []
    for of_loss in (eps, 0.0):
        expected.append(LabelSmoothingLoss(eps=of_loss).forward(logits, np.array([5])))
    assert np.allclose(floors(eps, vocab_size), expected)
