"""The small programs in examples/ run, learn and stay small."""

import re

import pytest

from .conftest import EXAMPLES

LINES = 60
SMALL = ("character_language_model", "classifier", "translation")


@pytest.mark.parametrize("name", SMALL)
def test_program_is_small(name):
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= LINES


def test_every_program_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {"transformer", *SMALL}


def test_character_language_model_learns_a_text_and_continues_it(load_example, tmp_path, capsys):
    path = tmp_path / "text.txt"
    path.write_text("the dog sleeps. the cat sings. " * 40, encoding="utf-8")
    load_example("character_language_model").main(path, epochs=20)
    printed = capsys.readouterr().out
    first, second = map(float, re.findall(r"loss ([\d.]+)", printed))
    assert second < first < 2.7
    *_, text = printed.splitlines()
    assert text.startswith("the dog sleeps. ") and "the" in text[16:]


def test_classifier_learns_what_not_means(load_example, capsys):
    load_example("classifier").main()
    printed = capsys.readouterr().out
    right, n = map(int, re.search(r"(\d+) of (\d+) held-out texts", printed).groups())
    assert n == 50 and right >= 48
    assert printed.endswith("our room was not awful: good\n")


def test_translation_uses_the_weights_with_the_least_held_out_loss(
    load_example, capsys, monkeypatch
):
    module = load_example("translation")
    losses = iter([2.0, 1.0, 3.0])
    tables = []

    def held_out_loss(model, *_):
        tables.append(model.generator.table.data.copy())
        return next(losses)

    def translate(translator, sentence):
        [epoch] = [
            i for i in range(3) if (translator.model.generator.table.data == tables[i]).all()
        ]
        return [f"by the weights of epoch {epoch + 1}"]

    monkeypatch.setattr(module, "held_out_loss", held_out_loss)
    monkeypatch.setattr(module.npf.Translator, "translate", translate)
    module.main(n_pairs=100, epochs=3)
    printed = capsys.readouterr().out
    assert "epoch 3   held-out loss 3.00" in printed
    assert printed.count("by the weights of epoch 2") == 4


def test_translation_learns(load_example, capsys):
    load_example("translation").main(n_pairs=300, epochs=3)
    first, *_, last = map(float, re.findall(r"loss ([\d.]+)", capsys.readouterr().out))
    assert last < first
