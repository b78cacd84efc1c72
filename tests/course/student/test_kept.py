"""What a notebook keeps of a learner's functions, and what a later notebook gets."""

import inspect
import linecache

import numpy as np
import pytest

from npformer import InputError
from npformer_course import course, yours
from npformer_course.course import stem
from npformer_course.definition import module_of
from npformer_course.student import kept
from npformer_course.student.folder import Folder, check_file
from npformer_course.student.notebook import NotebookExercise
from npformer_course.student.progress import Progress

FILE = f"{stem('softmax')}.py"


def softmax(x):
    """A right one."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def wrong(x):
    return np.exp(x)


def linear(x, w, b):
    return x @ w + b


def linear_backward(dy, x, w):
    rows = x.reshape(-1, x.shape[-1])
    drows = dy.reshape(-1, dy.shape[-1])
    return dy @ w.T, rows.T @ drows, drows.sum(0)


def masked_softmax(x, mask):
    """The learner's own."""
    visible = np.where(mask, x, -np.inf)
    e = np.exp(visible - visible.max(-1, keepdims=True, initial=-1e9))
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-30)


def masked_attention(q, k, v, mask):
    weights = masked_softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), mask)
    return weights @ v, weights


def attention(q, k, v):
    weights = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))
    return weights @ v, weights


def layer_norm(x, gain, bias, eps):
    """The learner's own."""
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    xhat = (x - x.mean(-1, keepdims=True)) * rstd
    return gain * xhat + bias, xhat, rstd


def post_norm(x, sublayer, drop, gain, bias):
    return layer_norm(x + drop * sublayer(x), gain, bias)[0]


WITH_ANOTHER = """
import numpy as np

def top(x):
    return x.max(-1, keepdims=True)

def softmax(x):
    e = np.exp(x - top(x))
    return e / e.sum(-1, keepdims=True)
"""


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Check functions as a notebook does, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def check(id, *functions):
        return NotebookExercise(course.load(id), {}).check(*functions)

    return check


def test_right_function_is_kept_in_a_file_that_passes(check, sandbox, capsys):
    check("softmax", softmax)
    assert f"  kept in my-transformer/{FILE}\n" in capsys.readouterr().out
    text = (kept.FOLDER / FILE).read_text(encoding="utf-8")
    assert '"""A right one."""' in text and "NotImplementedError" not in text
    assert check_file(kept.FOLDER / FILE, "softmax", sandbox).passed
    assert list(Folder(kept.FOLDER).files) == ["softmax"]


def test_later_notebook_gets_it(check, capsys):
    check("softmax", softmax)
    capsys.readouterr()
    x = np.array([1.0, 3.0])
    np.testing.assert_array_equal(yours("softmax")(x), softmax(x))
    assert yours("softmax").__doc__ == "A right one."
    assert capsys.readouterr().out == "softmax: yours\n" * 2


def test_npformers_function_is_not_found_right_in_the_place_of_the_learners(check, capsys):
    check("softmax", yours("softmax"))
    assert "softmax: not written yet" in capsys.readouterr().out


@pytest.mark.parametrize("function", [None, wrong])
def test_npformers_takes_the_place_of_others(check, capsys, function):
    check("softmax", function) if function is None else check_named(check, function)
    assert not kept.FOLDER.exists()
    capsys.readouterr()
    assert yours("softmax")(np.zeros(2)).tolist() == [0.5, 0.5]
    assert capsys.readouterr().out == "softmax: npformer's\n"


def check_named(check, function):
    NotebookExercise(course.load("softmax"), {}).check(softmax=function)


def test_some_functions_of_an_exercise_are_kept_and_others_join_them(check, capsys):
    check("linear", linear, None)
    capsys.readouterr()
    yours("linear")
    assert capsys.readouterr().out == "linear: yours\nlinear_backward: npformer's\n"
    check("linear", None, linear_backward)
    capsys.readouterr()
    yours("linear")
    assert capsys.readouterr().out == "linear: yours\nlinear_backward: yours\n"


def test_wrong_function_leaves_the_kept_one(check):
    check("softmax", softmax)
    check_named(check, wrong)
    assert yours("softmax")(np.zeros(2)).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("text", ["x = (", "raise ValueError(1)", "raise SystemExit"])
def test_kept_file_that_cannot_be_loaded_is_named(check, capsys, text):
    kept.FOLDER.mkdir()
    (kept.FOLDER / FILE).write_text(text)
    with pytest.raises(InputError, match=f"my-transformer/{FILE} cannot be loaded, .*: repair it"):
        yours("softmax")
    assert check("softmax", softmax) is softmax
    assert f"not kept for later notebooks: my-transformer/{FILE}" in capsys.readouterr().out
    assert (kept.FOLDER / FILE).read_text() == text


def test_default_argument_of_another_cell_is_not_kept(check, capsys):
    text = WITH_ANOTHER.replace("def softmax(x)", "def softmax(x, axis=LAST)")
    text = text.replace("def top", "LAST = -1\n\ndef top")
    check("softmax", module_of(text).softmax)
    assert (
        "not kept for later notebooks: by itself it cannot be loaded, NameError: name 'LAST' is "
        "not defined: it may use nothing of other cells"
    ) in " ".join(capsys.readouterr().out.split())


def test_function_that_uses_another_cell_is_not_kept(check, capsys):
    check("softmax", module_of(WITH_ANOTHER).softmax)
    out = capsys.readouterr().out
    assert "softmax: right" in out and "not kept for later notebooks: by itself it is wrong" in out
    assert not kept.FOLDER.exists()


def test_function_that_raises_not_implemented_error_in_a_branch_is_written(check, capsys):
    branch = "    if x.ndim > 9:\n        raise NotImplementedError(x.shape)\n    peak ="
    check("softmax", module_of(course.load("softmax").key.replace("    peak =", branch)).softmax)
    capsys.readouterr()
    yours("softmax")
    assert "NotImplementedError" in (kept.FOLDER / FILE).read_text()
    assert capsys.readouterr().out == "softmax: yours\n"


def in_a_cell(text, name):
    """What a cell of a notebook defines under a name: its text is where inspect looks for it."""
    file = f"<cell {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"np": np, "__name__": "__main__"}
    exec(compile(text, file, "exec"), names)
    return names[name]


def test_decorators_are_kept_and_go_with_the_next_version(check):
    text = inspect.getsource(softmax)
    decorated = f'@np.errstate(divide="raise")\n{text}'
    for version in (decorated, text, decorated):
        check("softmax", in_a_cell(version, "softmax"))
        kept_text = (kept.FOLDER / FILE).read_text(encoding="utf-8")
        assert kept_text.count("errstate") == version.count("errstate")
        assert version in kept_text


def test_decorator_of_a_class_is_kept():
    text = "@same\nclass Own:\n    def forward(self, x):\n        return x\n"
    own = in_a_cell(f"def same(c):\n    return c\n\n\n{text}", "Own")
    assert kept._text_of_class(own) == text


def test_class_is_kept(check, sandbox, capsys):
    exercise = course.load("dropout")
    check("dropout", module_of(exercise.key).Dropout)
    path = kept.FOLDER / f"{stem('dropout')}.py"
    assert f"kept in {path.as_posix()}" in capsys.readouterr().out
    assert check_file(path, "dropout", sandbox).passed
    yours("dropout")
    path.write_text(exercise.stub)
    yours("dropout")
    assert capsys.readouterr().out == "Dropout: yours\nDropout: npformer's\n"


def test_function_without_a_text_is_not_kept(check, capsys):
    names = {"np": np}
    exec(
        "def softmax(x):\n    e = np.exp(x - x.max(-1, keepdims=True))\n"
        "    return e / e.sum(-1, keepdims=True)",
        names,
    )
    check("softmax", names["softmax"])
    assert "not kept for later notebooks: it has no text" in capsys.readouterr().out


def test_function_calls_earlier_functions_of_the_learner(check):
    check("masked_softmax", masked_softmax)
    check("masked_attention", masked_attention, None)
    attention, _ = yours("masked_attention")
    x = np.ones((1, 1, 2, 3))
    attention(x, x, x, np.full((1, 1, 2, 2), True))
    assert attention.__globals__["masked_softmax"].__doc__ == "The learner's own."


def test_default_of_the_learners_own_stays(check, capsys):
    of_softmax = "def softmax(x, axis=-1):\n    e = np.exp(x - x.max(axis, keepdims=True))\n"
    of_softmax += "    return e / e.sum(axis, keepdims=True)\n"
    check("softmax", in_a_cell(of_softmax, "softmax"))
    check("attention", attention)
    x = np.eye(3)
    np.testing.assert_array_equal(yours("attention")(x, x, x)[1], softmax(x / np.sqrt(3)))


def test_line_of_the_exercise_that_is_never_reached_may_stay(check, capsys):
    text = inspect.getsource(softmax) + "    raise NotImplementedError\n"
    check("softmax", in_a_cell(text, "softmax"))
    assert f"kept in my-transformer/{FILE}" in capsys.readouterr().out


def test_other_functions_of_the_file_do_not_matter(check, capsys):
    check("linear", linear_backward)
    path = kept.FOLDER / f"{stem('linear')}.py"
    path.write_text(path.read_text().replace("    rows =", "    dy += 1\n    rows ="))
    check("linear", linear)
    assert capsys.readouterr().out.count("kept in") == 2
    assert not Progress(kept.FOLDER)["linear"].passed


def test_nothing_is_written_next_to_a_damaged_progress(check, capsys):
    check("linear", linear)
    (kept.FOLDER / "progress.json").write_text("[]")
    check("softmax", softmax)
    assert "not kept for later notebooks: " in capsys.readouterr().out
    assert not (kept.FOLDER / FILE).exists()


def test_exercise_is_passed_once_all_of_its_functions_are_kept(check):
    check("linear", linear)
    assert not Progress(kept.FOLDER)["linear"].passed
    check("linear", linear_backward)
    assert Progress(kept.FOLDER)["linear"].passed


def test_given_default_stays_where_the_learners_function_has_none(check, monkeypatch):
    check("layer_norm", layer_norm)
    monkeypatch.setattr(layer_norm, "__defaults__", (0.1,))  # as that of the exercise add_norm has
    check("add_norm", post_norm, None)
    post, _ = yours("add_norm")
    x = np.ones((1, 2, 3))
    assert np.isfinite(post(x, np.sin, x, np.ones(3), np.zeros(3))).all()
    assert post.__globals__["layer_norm"].__doc__ == "The learner's own."


def test_other_ids_are_refused(check):
    with pytest.raises(InputError, match="did you mean softmax"):
        yours("softmaxx")


def test_function_of_another_name_is_not_kept(check, capsys):
    check_named(check, softmax_2)
    assert "not kept for later notebooks: define it by `def softmax`" in capsys.readouterr().out


def softmax_2(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_nothing_is_kept_in_a_folder_of_exercises(check, capsys, tmp_path):
    (tmp_path / "progress.json").write_text("{}")
    check("softmax", softmax)
    assert capsys.readouterr().out == "softmax: right, 10 of 10 points\n"
    assert not kept.FOLDER.exists()
