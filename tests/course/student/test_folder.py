import json

import pytest

from npformer import InputError
from npformer_course import course
from npformer_course.course import stem
from npformer_course.student import folder
from npformer_course.student.folder import Folder, check_file, own_functions
from npformer_course.student.progress import Entry, Progress
from tests.run_here import key_text

ID = "layer_norm_backward"


def test_start_writes_each_exercise_and_never_overwrites(tmp_path):
    files = folder.start(tmp_path / "a" / "b")
    assert [path.name for path in files] == [f"{course.stem(id)}.py" for id in course.EXERCISES]
    assert {path.name for path in (tmp_path / "a" / "b").iterdir()} == {
        *(path.name for path in files),
        "README.md",
        "progress.json",
    }
    before = files[0].read_text()
    with pytest.raises(InputError, match="exists already"):
        folder.start(tmp_path / "a" / "b", [ID])
    assert files[0].read_text() == before
    page = (tmp_path / "a" / "b" / "README.md").read_text()
    assert f"\n{len(files)} exercises. Each says" in page
    assert "Type `npformer course` in this folder" in page and "progress.json" in page
    assert "`npformer course solution ID` shows ours" in page


def test_start_in_a_folder_of_another_progress_writes_nothing(tmp_path):
    (tmp_path / "progress.json").write_text("[]")
    with pytest.raises(InputError, match=r"progress.json is not a progress file"):
        folder.start(tmp_path, [ID])
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


def test_notebooks_have_a_page_of_their_own_and_each_exercise_once(tmp_path):
    files = folder.start(tmp_path, ["softmax", ID, stem("softmax")], notebooks=True)
    assert files == [tmp_path / f"{stem(id)}.ipynb" for id in ("softmax", ID)]
    page = (tmp_path / "README.md").read_text()
    assert "\n2 exercises. Each says" in page
    assert "Open a notebook in JupyterLab" in page and "Type `npformer course`" not in page
    assert "`.solution()` shows ours" in page


@pytest.mark.parametrize("more", ["", "\nprint(layer_norm_backward(1, 1, 1, 1))\n"])
def test_untouched_file_is_unattempted(lesson, sandbox, more):
    with lesson.files[ID].open("a", encoding="utf-8") as file:
        file.write(more)
    report = lesson.check(ID, sandbox)
    assert {part.outcome for part in report.parts} == {"unattempted"} and report.points == 0
    assert Progress(lesson.path)[ID] == Entry()


@pytest.mark.usefixtures("without_sandbox")
def test_pass_is_recorded_with_time_and_attempts(lesson, sandbox, write):
    write("dxhat = dy * gain", "dxhat = dy")
    assert not lesson.check(ID, sandbox).passed
    write(prediction="B")
    report = lesson.check(ID, sandbox)
    assert report.passed and report.predicted == "b"
    entry = Progress(lesson.path)[ID]
    assert entry.attempts == 2 and entry.passed.endswith("+00:00")

    # the time of the first pass stays
    earlier = "2026-01-02T03:04:05+00:00"
    lesson.progress.write(**{ID: Entry(attempts=2, passed=earlier)})
    lesson.check(ID, sandbox)
    assert Progress(lesson.path)[ID] == Entry(attempts=3, passed=earlier)


@pytest.mark.usefixtures("without_sandbox")
def test_check_without_record_keeps_progress(lesson, sandbox, write):
    write()
    assert lesson.check(ID, sandbox, record=False).passed
    assert not Progress(lesson.path)[ID].passed


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"x": 1}', '{"x": {"tries": 3}}', '{"x": {"hints": 1.5}}']
)
def test_damaged_progress_file_is_reported(lesson, text):
    (lesson.path / "progress.json").write_text(text)
    with pytest.raises(InputError, match=r"progress\.json"):
        Folder(lesson.path)


def test_hints_are_counted_and_last_one_repeats(lesson):
    assert [lesson.progress.note_hint(ID) for _ in range(5)] == [0, 1, 2, 2, 2]
    assert Progress(lesson.path)[ID].hints == 3


def test_negative_count_of_hints_is_read_as_none(lesson):
    lesson.progress.write(**{ID: Entry(hints=-5)})
    assert lesson.progress.note_hint(ID) == 0


@pytest.mark.usefixtures("without_sandbox")
def test_reset_restores_exercise_and_keeps_old_answer(lesson, sandbox, write):
    write()
    lesson.check(ID, sandbox)
    old = lesson.reset(ID)
    assert "dxhat = dy * gain" in old.read_text()
    assert {part.outcome for part in lesson.check(ID, sandbox).parts} == {"unattempted"}
    assert not Progress(lesson.path)[ID].passed


def test_reset_overwrites_no_earlier_text(lesson):
    names = []
    for text in ("first", "second", "third"):
        lesson.files[ID].write_text(text)
        old = lesson.reset(ID)
        names.append(old.name)
        assert old.read_text() == text
    name = lesson.files[ID].name
    assert names == [f"{name}.old", f"{name}.old2", f"{name}.old3"]
    assert lesson.reset(ID) is None  # what is untouched is not kept


def test_reset_writes_an_exercise_that_is_not_there(lesson):
    assert lesson.reset("softmax") is None
    assert list(Folder(lesson.path).files) == ["softmax", ID]
    path = lesson.path / f"{stem('softmax')}.py"
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match="is a folder: move it away"):
        lesson.reset("softmax")


def test_progress_keeps_what_it_does_not_know_at_the_end(lesson):
    entry = {"attempts": 1, "hints": 0, "passed": ""}
    path = lesson.path / "progress.json"
    path.write_text(json.dumps({"zz": entry, ID: entry, "aa": entry}))
    lesson.progress.note_hint("softmax")
    content = json.loads(path.read_text())
    assert list(content) == ["softmax", ID, "aa", "zz"]
    assert content["softmax"] == {"attempts": 0, "hints": 1, "passed": ""}
    assert content["zz"] == content[ID] == entry


def test_default_of_an_exercise_takes_the_place_of_the_students(tmp_path, sandbox):
    first, second = folder.start(tmp_path, ["layer_norm", "add_norm"])
    key = key_text(course.load("layer_norm"))
    key = key.replace("bias, eps):", "bias, epsilon=1e-5):").replace("+ eps)", "+ epsilon)")
    first.write_text(key)
    second.write_text(key_text(course.load("add_norm")))
    more, _ = own_functions(tmp_path, "add_norm", sandbox)
    assert "epsilon=1e-5" in more
    assert check_file(second, "add_norm", sandbox, more=more).passed


@pytest.mark.usefixtures("without_sandbox")
def test_exercises_run_on_keys_of_earlier_ones(tmp_path, sandbox):
    files = {path.stem.partition("_")[2]: path for path in folder.start(tmp_path)}
    for id, path in files.items():
        path.write_text(key_text(course.load(id)))
    found = {}
    for id, path in files.items():
        more, whose = own_functions(tmp_path, id, sandbox)
        found[id] = whose.removeprefix("Given functions that are yours: ")
        assert not more or check_file(path, id, sandbox, more=more).passed
    heads = f"split_heads, merge_heads ({stem('heads')})"
    norm_and_network = f"layer_norm ({stem('layer_norm')}), feed_forward ({stem('feed_forward')})"
    attention_backward = f"attention_backward ({stem('attention_backward')})"
    assert {id: own for id, own in found.items() if own != "none."} == {
        "attention": f"softmax ({stem('softmax')}).",
        "multi_head": f"attention ({stem('attention')}), {heads}.",
        "add_norm": f"layer_norm ({stem('layer_norm')}).",
        "masked_attention": f"masked_softmax ({stem('masked_softmax')}).",
        "encoder_layer": f"{heads}, {norm_and_network}, masked_attention ({stem('masked_attention')}).",
        "decoder_layer": f"{heads}, {norm_and_network}, masked_attention ({stem('masked_attention')}), "
        f"multi_head ({stem('encoder_layer')}).",
        "feed_forward_backward": f"linear_backward ({stem('linear')}).",
        "add_norm_backward": f"layer_norm ({stem('layer_norm')}), post_norm, pre_norm ({stem('add_norm')}), "
        f"layer_norm_backward ({stem('layer_norm_backward')}).",
        "multi_head_backward": f"{heads}, {attention_backward}.",
        "cross_attention_backward": f"{heads}, {attention_backward}.",
        "bug_hunt": f"softmax ({stem('softmax')}), layer_norm ({stem('layer_norm')}), "
        f"numeric_gradient ({stem('numeric_gradient')}).",
        "loss_gradient": f"softmax ({stem('softmax')}).",
        "adam": f"move_one_number ({stem('adam_by_hand')}).",
        "second_bug_hunt": f"embed ({stem('embedding')}), "
        f"numeric_gradient ({stem('numeric_gradient')}).",
        "kv_cache": f"{heads}, sinusoids ({stem('positions')}).",
        "top_p": f"softmax ({stem('softmax')}).",
        "grouped_queries": f"softmax ({stem('softmax')}), attention ({stem('attention')}).",
        "logit_lens": f"layer_norm ({stem('layer_norm')}).",
    }


def test_folder_without_exercises_is_rejected(tmp_path):
    with pytest.raises(InputError, match="holds no exercise"):
        Folder(tmp_path)


def test_exercise_is_selected_by_id_number_or_file(lesson):
    assert {
        lesson.chosen(name)
        for name in (None, ID, f"{stem('layer_norm_backward')}.py", stem("layer_norm_backward"))
    } == {ID}
    assert lesson.chosen(f"{stem('layer_norm_backward')}.ipynb") == ID


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "there is no exercise 'nothing': expected a name such as softmax"),
        ("15.5", "there is no exercise '15.5': expected a name such as softmax"),
        ("15", "notebook 15 has several exercises: name one of adam_by_hand, adam and warmup"),
        ("99", "there is no exercise 99: expected a name such as softmax"),
        ("softmax", "03_softmax is not in this folder: npformer course reset softmax writes it"),
        (
            "layer_norm_backwards",
            "no exercise 'layer_norm_backwards': did you mean layer_norm_back",
        ),
        ("softmax.txt", "there is no exercise 'softmax.txt': did you mean softmax[?]"),
    ],
)
def test_other_names_are_refused_with_the_nearest(lesson, name, message):
    with pytest.raises(InputError, match=message):
        lesson.chosen(name)


def test_next_exercise_is_the_first_not_passed(tmp_path):
    ids = course.EXERCISES
    folder.start(tmp_path / "all")
    all_of_them = Folder(tmp_path / "all")
    all_of_them.progress.write(**{ids[0]: Entry(1, 0, "2024")})
    rest = ids[1:]
    assert all_of_them.next() == (rest[0] if rest else None)
    if len(rest) > 2:
        assert all_of_them.next(after=rest[0]) == rest[1]
        assert all_of_them.next(after=ids[-1]) == rest[0]
    all_of_them.progress.write(**{id: Entry(1, 0, "2024") for id in ids})
    assert all_of_them.next() is None and all_of_them.next(after=ids[0]) is None
    assert all_of_them.chosen(None) == ids[-1]


@pytest.mark.usefixtures("without_sandbox")
def test_notebook_is_accepted_as_answer(tmp_path, sandbox):
    folder.start(tmp_path, [ID], notebooks=True)
    lesson = Folder(tmp_path)
    assert lesson.files[ID].suffix == ".ipynb"
    assert not lesson.check(ID, sandbox).attempted
    notebook = json.loads(lesson.files[ID].read_text())
    body = key_text(course.load(ID)).split("def layer_norm_backward(")[1].split("# %%")[0]
    for cell in notebook["cells"]:
        if "NotImplementedError" in "".join(cell["source"]):
            cell["source"] = ["%time x = 1\n", "def layer_norm_backward(" + body]
    lesson.files[ID].write_text(json.dumps(notebook))
    assert lesson.check(ID, sandbox).passed
