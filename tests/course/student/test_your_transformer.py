"""A student's functions in the shipped translator, from a notebook."""

import math

import pytest

from npformer import InputError
from npformer_course import course, exercise, your_transformer, yours
from npformer_course.student import folder
from npformer_course.student.kept import keep
from tests.run_here import key_text

from .model_parts import part


def embed(ids, table):
    return table[ids] * math.sqrt(table.shape[1])


def shifted(x, n_heads):
    batch, length, d_model = x.shape
    return x.reshape(batch, n_heads, length, d_model // n_heads)


def test_functions_are_recognized_by_their_names():
    text = repr(your_transformer(embed))
    assert text.startswith("Yours: embedding.\n")
    assert "yours, by greedy decoding: Ich schalte jeden Tag das neue Radio aus." in text
    assert "The first difference" not in text


def test_function_with_another_name():
    text = repr(your_transformer(split_heads=shifted))
    assert text.startswith("Yours: heads.\n")
    assert "The first difference is in encoder layer 0, self-attention." in text


def test_another_sentence():
    assert "  yours, by greedy decoding: Der Hund schläft." in repr(
        your_transformer(embed, sentence="The dog sleeps.")
    )


def test_npformers_function_is_not_yours(capsys):
    def wrong(x, w, b):
        return x @ w

    linear = exercise("linear").check(linear=wrong)
    text = repr(your_transformer(embed, linear))
    assert text.startswith("Yours: embedding.\n") and "in place of: " in text


def test_other_functions_are_refused():
    with pytest.raises(InputError, match=r"shifted is not a part of the translator: expected some"):
        your_transformer(shifted)
    with pytest.raises(InputError, match="learning_rate is not a part of the translator"):
        your_transformer(part("warmup").learning_rate)


@pytest.mark.usefixtures("without_sandbox")
def test_without_functions_they_come_from_the_folder(tmp_path, monkeypatch):
    folder.start(tmp_path, ["positions", "linear"])
    linear = tmp_path / f"{course.stem('linear')}.py"
    linear.write_text(key_text(course.load("linear")))
    (tmp_path / "my-transformer").mkdir()  # as notebooks make it
    monkeypatch.chdir(tmp_path)
    assert repr(your_transformer()).startswith("Yours: linear.\n")


@pytest.mark.usefixtures("without_sandbox")
def test_without_functions_they_may_be_those_that_notebooks_keep(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keep(course.load("heads"), {"merge_heads": part("heads").merge_heads})
    assert repr(your_transformer()).startswith("Yours: none yet.\n")  # half of it
    keep(course.load("heads"), {"split_heads": part("heads").split_heads})
    assert repr(your_transformer()).startswith("Yours: heads.\n")


def test_what_notebooks_keep_is_yours_and_the_rest_npformers(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    keep(course.load("heads"), {"merge_heads": part("heads").merge_heads})
    text = repr(your_transformer(*yours("heads"), yours("layer_norm")))
    assert text.startswith("Yours: heads.\n") and "layer_norm" in text.splitlines()[1]


def test_without_functions_and_folder_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="holds no exercise"):
        your_transformer()
