"""Submissions as they come: what is theirs arrives, under its own name, and nothing else does."""

import io
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from npformer.utils.errors import InputError
from npformer_course import course
from npformer_course.course import EXERCISES, stem
from npformer_course.files import student_notebook
from npformer_course.grading.collect import LARGEST, collect
from npformer_course.grading.lms_names import safe_name, stem_of
from npformer_course.grading.near_names import near_name
from tests.course.grading.submissions import blank, key

FILE, OTHER = f"{stem('heads')}.py", f"{stem('warmup')}.py"


@pytest.fixture
def inbox(tmp_path):
    """Write what came: `inbox({"ada/NAME.py": "x"})`."""

    def write(files):
        folder = tmp_path / "inbox"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    return write


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def make_zip(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def written(out):
    return {
        path.relative_to(out).as_posix(): path.read_text()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def test_student_folders_and_zip_files_are_collected(inbox, out):
    files = {
        f"ada/{FILE}": "a",
        "bob.zip": make_zip({OTHER: "c", "heads/": "", f"heads/{FILE}": "b"}),
        "notes.txt": "",
        ".git/x": "",
        "__MACOSX/x": "",
    }
    students, problems = collect([inbox(files), inbox({"eve/all.ZIP": make_zip({FILE: "e"})})], out)
    assert (
        students
        == {"ada": [stem("heads")], "bob": [stem("heads"), stem("warmup")], "eve": [stem("heads")]}
        and not problems
    )
    assert written(out) == {
        f"ada/{FILE}": "a",
        f"bob/{FILE}": "b",
        f"bob/{OTHER}": "c",
        f"eve/{FILE}": "e",
    }


def test_folder_that_was_collected_into_is_no_student(inbox):
    source = inbox({f"ada/{FILE}": "a", f"bob/{FILE}": "b"})
    for _ in range(2):
        students, problems = collect([source], source / "all")
        assert set(students) == {"ada", "bob"} and not problems


def test_single_submission_takes_file_name_or_given_name(inbox, out):
    folder = inbox(
        {FILE: "a", f"deep/er/{stem('warmup')}.ipynb": "{}", "x/ada.zip": make_zip({OTHER: "w"})}
    )
    assert collect([folder / "deep"], out)[0] == {"er": [stem("warmup")]}
    assert collect([folder / "x" / "ada.zip"], out)[0] == {"ada": [stem("warmup")]}
    assert collect([inbox({}) / "deep"], out, "Ada")[0] == {"Ada": [stem("warmup")]}
    # in order, whatever order they come in
    assert [*collect([folder / "deep", folder / "x"], out)[0]] == ["ada", "er"]


@pytest.mark.parametrize(
    "name",
    [
        f"../../{stem('heads')}.py",
        f"/etc/{stem('heads')}.py",
        f"..\\..\\{stem('heads')}.py",
        f"C:\\x\\{stem('heads')}.py",
    ],
)
def test_zip_member_names_cannot_escape_the_folder(inbox, out, name):
    collect([inbox({"ada.zip": make_zip({name: "a"})})], out)
    found = {
        path.relative_to(out.parent).as_posix() for path in out.parent.rglob("*") if path.is_file()
    }
    assert found == {"inbox/ada.zip", f"out/ada/{FILE}"}


@pytest.mark.parametrize(
    "name",
    [
        "my_heads.py",
        "heads final.ipynb",
        f"{stem('heads')}-checkpoint.ipynb",
        "Heads.PY",
        "Heads.IPYNB",
    ],
)
@pytest.mark.parametrize("where", ["ada/{}", "ada.zip", "ada_1_2_{}"])
def test_file_name_close_to_an_exercise_is_reported(inbox, out, name, where):
    content = make_zip({f"course/{name}": "a"}) if where == "ada.zip" else "a"
    students, problems = collect([inbox({where.format(name): content})], out)
    right = f"{stem('heads')}{name[name.index('.') :].lower()}"
    assert problems == [
        f"ada: {name} is not taken: if it is the answer to {stem('heads')}, call it {right}"
    ]
    assert students == {"ada": []} and written(out) == {}


def test_platform_file_names_are_recognized(inbox, out):
    folder = inbox(
        {
            f"First Last_12_assignsubmission_file_/{FILE}": "moodle",
            f"Emmy_13_assignsubmission_onlinetext/{FILE}": "moodle, too",
            f"Ann B_14_assignsubmission_file_{FILE}": "moodle, without folders",
            "Ann B_14_assignsubmission_file_more.zip": make_zip({OTHER: "zip"}),
            f"turingalan_LATE_3_45_{stem('heads')}-1.py": "canvas",
            f"turingalan_3_46_{stem('warmup')}.ipynb": "{}",
            "hoppergrace_5_47_course.zip": make_zip({FILE: "zip"}),
            f"team_1_2_x/{FILE}": "only looks like a platform's",
        }
    )
    assert collect([folder], out)[0] == {
        "Ann B": [stem("heads"), stem("warmup")],
        "Emmy": [stem("heads")],
        "First Last": [stem("heads")],
        "hoppergrace": [stem("heads")],
        "team_1_2_x": [stem("heads")],
        "turingalan": [stem("heads"), stem("warmup")],
    }
    assert written(out)[f"turingalan/{FILE}"] == "canvas"


def test_two_students_of_one_name_stay_two(inbox, out):
    folder = inbox(
        {
            f"lovelaceada_12_45_{stem('heads')}.py": "of 12",
            f"lovelaceada_LATE_13_46_{stem('heads')}.py": "of 13",
            f"lovelaceada_13_47_{stem('warmup')}.py": "of 13, too",
            f"lovelaceada/{FILE}": "of no number",
        }
    )
    students, problems = collect([folder], out)
    assert problems == []
    assert students == {
        "lovelaceada": [stem("heads")],
        "lovelaceada_12": [stem("heads")],
        "lovelaceada_13": [stem("heads"), stem("warmup")],
    }
    assert written(out)[f"lovelaceada_12/{FILE}"] == "of 12"
    assert written(out)[f"lovelaceada_13/{FILE}"] == "of 13"


@pytest.mark.parametrize("number", [12, 13])
def test_late_answer_does_not_replace_that_of_another_student_of_this_name(inbox, out, number):
    in_time = {f"lovelaceada_{n}_45_{stem('heads')}.py": f"of {n}" for n in (12, 13)}
    collect([inbox(in_time)], out)
    late = inbox({f"late/lovelaceada_LATE_{number}_46_{stem('heads')}.py": "late"})
    assert collect([late / "late"], out)[0] == {f"lovelaceada_{number}": [stem("heads")]}
    other = 25 - number
    assert written(out)[f"lovelaceada_{other}/{FILE}"] == f"of {other}"


@pytest.mark.parametrize(
    ("name", "as_folder"),
    [
        ("Jörg Müller", "Jörg Müller"),
        ("林徽因", "林徽因"),
        ("a\nb", "a_b"),
        ("=cmd|x", "_cmd_x"),
        ("x" * 200, "x" * 100),
        ("x" * 99 + ".y", "x" * 99),
        (" a", "a"),
        ("a,b@c+d-e", "a,b@c+d-e"),
        ("CON", "_CON"),
        ("nul.l", "_nul.l"),
        ("Lpt1", "_Lpt1"),
        ("aux", "_aux"),
        ("Conny", "Conny"),
    ],
)
def test_unusual_names_become_valid_folder_names(inbox, out, name, as_folder):
    try:
        folder = inbox({f"{name}/{FILE}": "a"})
    except OSError:
        pytest.skip("this file system has no such name")
    assert [*collect([folder], out)[0]] == [as_folder] and (out / as_folder / FILE).is_file()


@pytest.mark.parametrize("names", [("a<", "a>"), ("Ada", "ada")])
def test_students_who_would_share_a_folder_are_reported_and_others_collected(inbox, out, names):
    folder = inbox({f"{name}/{FILE}": name for name in [*names, "bob"]})
    if len([*folder.iterdir()]) < 3:
        pytest.skip("this file system does not tell them apart")
    students, problems = collect([folder], out)
    assert students == {"bob": [stem("heads")]} and written(out) == {f"bob/{FILE}": "bob"}
    one, other = names
    assert problems == [
        f"{one!r} and {other!r} would share a folder, nothing of them is taken: rename all but one"
    ]


def test_duplicate_answers_are_skipped_and_others_collected(inbox, out):
    folder = inbox(
        {
            f"ada/{FILE}": "a",
            f"ada/old/{FILE}": "b",
            f"ada/older/{FILE}": "c",
            f"ada/{OTHER}": "w",
            f"bob/{FILE}": "b",
        }
    )
    students, (problem,) = collect([folder], out)
    assert students == {"ada": [stem("warmup")], "bob": [stem("heads")]}
    old = os.path.join("old", FILE)
    assert problem == f"ada: two answers to {stem('heads')}, {FILE} and {old}: keep one of them"


def flip_byte_in_zip(content):
    """Return a zip file with another byte in what it holds."""
    place = len(FILE) + 30 + 5
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


def set_byte(content, offset, value):
    """Return a zip file with another byte in what its last part says of its first file."""
    place = content.index(b"PK\x01\x02") + offset
    return content[:place] + bytes([value]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda b: b[:-30],
        lambda b: b"no zip",
        lambda b: b"",
        flip_byte_in_zip,
        lambda b: set_byte(b, 8, 1),  # encrypted
        lambda b: set_byte(b, 10, 99),  # packed in a way that nobody knows
    ],
)
def test_damaged_zip_file_is_reported_and_others_are_collected(inbox, out, damage):
    content = damage(make_zip({FILE: "answer " * 100}))
    students, (problem,) = collect([inbox({"ada.zip": content, f"bob/{FILE}": "b"})], out)
    assert students == {"ada": [], "bob": [stem("heads")]}
    assert problem.startswith("ada: ada.zip") and problem.endswith("ask for it again")


def test_file_that_the_disk_does_not_give_is_reported_and_others_are_collected(
    inbox, out, monkeypatch
):
    def read(path, n):
        if path.parent.name == "ada":
            raise OSError(5, "Input/output error")
        return path.read_bytes()[:n]

    monkeypatch.setattr("npformer_course.grading.collect._read_path", read)
    students, problems = collect([inbox({f"ada/{FILE}": "a", f"bob/{FILE}": "b"})], out)
    assert students == {"ada": [], "bob": [stem("heads")]}
    assert problems == [
        f"ada: {FILE} cannot be read ([Errno 5] Input/output error): ask for it again"
    ]


def test_oversized_file_is_reported_and_cut_off(inbox, out):
    bomb = make_zip({FILE: b"0" * (LARGEST + 9), OTHER: "w"})
    students, problems = collect(
        [
            inbox(
                {
                    "ada.zip": bomb,
                    f"bob/{FILE}": b"0" * (LARGEST + 9),
                    f"eve/{FILE}": b"0" * LARGEST,
                }
            )
        ],
        out,
    )
    assert students == {
        "ada": [stem("heads"), stem("warmup")],
        "bob": [stem("heads")],
        "eve": [stem("heads")],
    }
    # so long that grading says the same to the student
    assert {(out / name / FILE).stat().st_size for name in ("ada", "bob")} == {LARGEST + 1}
    assert problems == [
        f"ada: ada.zip/{FILE} is larger than 4 MiB",
        f"bob: {FILE} is larger than 4 MiB",
    ]


def test_zip_file_in_a_zip_file_is_reported(inbox, out):
    """It may hold the only answers, or further ones."""
    inner = make_zip({FILE: "a"})
    files = {"ada.zip": make_zip({"all.ZIP": inner}), "bob.zip": make_zip({"x.zip": "", FILE: "b"})}
    students, problems = collect([inbox(files)], out)
    assert students == {"ada": [], "bob": [stem("heads")]}
    assert problems == [
        "ada: ada.zip/all.ZIP is a zip file in a zip file: unpack it, and collect again",
        "bob: bob.zip/x.zip is a zip file in a zip file: unpack it, and collect again",
    ]


def test_archives_of_other_kinds_are_reported(inbox, out):
    files = {f"ada/{FILE}": "a", "ada/data.gz": "", "bob/all.rar": "", "Eve.TAR.gz": ""}
    source = inbox(files)
    students, problems = collect([source], out)
    assert students == {"ada": [stem("heads")], "bob": []}
    assert problems == [
        f"{source / 'Eve.TAR.gz'} is not taken: unpack it, or ask for a zip file",
        "bob: all.rar is not taken: unpack it, or ask for a zip file",
    ]


def test_false_size_in_zip_header_is_not_trusted(inbox, out):
    content = make_zip({FILE: b"0" * (LARGEST + 1)})
    size, lie = (n.to_bytes(4, "little") for n in (LARGEST + 1, 10))
    students, problems = collect([inbox({"ada.zip": content.replace(size, lie)})], out)
    assert students == {"ada": []} and len(problems) == 1


def test_no_more_of_a_zip_file_is_unpacked_than_an_answer_may_be_long(inbox, out):
    content = make_zip({FILE: b"0" * (64 * LARGEST)})
    size, lie = ((64 * LARGEST).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    folder = inbox({"ada.zip": content.replace(size, lie)})
    tracemalloc.start()
    students, problems = collect([folder], out)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert students == {"ada": []} and len(problems) == 1
    assert most < 4 * LARGEST


def test_names_keep_their_combining_marks(inbox, out):
    students = ["रीम", "राम", "กิตติ", "Zoé"]
    folder = inbox({f"{name}/{FILE}": "x" for name in students})
    assert {*collect([folder], out)[0]} == {*students}
    as_macos_writes_it = "e\N{COMBINING ACUTE ACCENT}"
    assert safe_name(as_macos_writes_it) == "é"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_are_not_followed(inbox, out, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / FILE).write_text("secret")
    folder = inbox({f"ada/{OTHER}": "w"})
    (folder / "ada" / FILE).symlink_to(tmp_path / "secret" / FILE)
    (folder / "bob").symlink_to(tmp_path / "secret")
    students, problems = collect([folder], out)
    assert students == {"ada": [stem("warmup")]}
    advice = "is a link and not taken: copy what it leads to in its place"
    assert problems == [f"{folder / 'bob'} {advice}", f"ada: {FILE} {advice}"]


def test_input_without_submissions_is_rejected(inbox, out, tmp_path):
    folder = inbox({"notes.txt": ""})
    with pytest.raises(InputError) as error:
        collect([folder, folder], out)
    assert str(error.value) == (
        f"no answers found in {folder}, {folder}: "
        "expected a student's folder or zip file, or a folder of those"
    )
    with pytest.raises(InputError, match="does not exist"):
        collect([tmp_path / "nowhere"], out)
    with pytest.raises(InputError, match="neither a folder nor a zip file"):
        collect([folder / "notes.txt"], out)


def test_late_submission_replaces_earlier_one_of_either_type(inbox, out):
    folder = inbox(
        {
            f"first/ada/{FILE}": "a",
            f"first/ada/{OTHER}": "w",
            f"late/ada/{stem('heads')}.ipynb": "{}",
        }
    )
    collect([folder / "first"], out)
    collect([folder / "late"], out)
    assert written(out) == {f"ada/{stem('heads')}.ipynb": "{}", f"ada/{OTHER}": "w"}


def is_not_taken(name, right=FILE):
    return f"{name} is not taken: if it is the answer to {stem('heads')}, call it {right}"


@pytest.mark.parametrize(
    "name",
    [
        "04_heads.py.txt",
        "04_heads.txt",
        "04_heads",
        "04_heads.pyw",
        "04_heads.py.download",
        "04_heads (1).py.txt",
        "04. heads",
        "heads.txt",
        "04_heds.py",
        "04_haeds.py",
        "04_he_ads.py",
        "04-heads.py",
        "4_heads.py",
        "03_heads.py",
        "04_heads.py.old",
        "04_heads-checkpoint.py",
    ],
)
@pytest.mark.parametrize(
    "where", ["ada/{}", "ada.zip", "ada_1_2_{}", "ada_12_assignsubmission_file_/{}"]
)
def test_misnamed_answer_is_reported_for_its_student(inbox, out, name, where):
    content = make_zip({f"course/{name}": "a"}) if where == "ada.zip" else "a"
    folder = inbox({where.format(name): content, f"bob/{FILE}": "b"})
    students, problems = collect([folder], out)
    assert students == {"ada": [], "bob": [stem("heads")]}
    assert problems == [f"ada: {is_not_taken(name)}"]


@pytest.mark.parametrize(
    "name", ["04_heads.ipynb.json", "04_heads.ipynb.txt", "04_heads.json", "04_heds.ipynb"]
)
def test_misnamed_notebook_is_to_become_a_notebook(inbox, out, name):
    _, problems = collect([inbox({f"ada/{name}": "\n{}"})], out)
    assert problems == [f"ada: {is_not_taken(name, stem('heads') + '.ipynb')}"]


@pytest.mark.skipif(os.name == "nt", reason="Windows drops the space")
def test_space_at_the_end_of_a_name_is_seen_in_its_report(inbox, out):
    _, problems = collect([inbox({"ada/04_heads.py ": "a"})], out)
    assert problems == [f"ada: {is_not_taken(repr('04_heads.py '))}"]


def test_name_with_only_the_right_number_is_reported_while_an_exercise_has_no_answer(inbox, out):
    files = {"ada/04_answer.py": "a", f"ada/{FILE}": key()}
    _, problems = collect([inbox(files)], out)
    assert problems == [
        "ada: 04_answer.py is not taken: "
        "if it is an answer, call it 04_heads.py or 04_multi_head.py"
    ]
    _, problems = collect([inbox({**files, "ada/04_multi_head.py": key("multi_head")})], out)
    assert problems == []
    # it is one of them under another name
    files["ada/04_answer.py"] = key()
    _, problems = collect([inbox({**files, "ada/04_multi_head.py": blank("multi_head")})], out)
    assert problems == []


@pytest.mark.parametrize(
    "name",
    [
        "README.txt",
        "README",
        "data.csv",
        "notes.md",
        "notes.py",
        "04_notes.txt",
        "overheads_of_a_model.py",
        "attentional_blink_of_people.py",
        "04_heads.png",
        "heads.svg",
        "attention.npy",
        ".DS_Store",
        "._04_heads.py",
        "__pycache__/04_heads.cpython-311.pyc",
        "progress.json",
        "step.html",
        "train.py",
        "1_test.py",
        "2026-04-01_notes.py",
        "attention_notes.txt",
        "my_scores.json",
        "04b_what_heads_cost.ipynb",
    ],
)
def test_other_files_are_not_reported(inbox, out, name):
    files = {f"ada/{FILE}": "a", f"ada/{name}": "x", f"bob_1_2_{OTHER}": "b"}
    students, problems = collect([inbox(files)], out)
    assert students == {"ada": [stem("heads")], "bob": [stem("warmup")]} and problems == []


def test_course_notebook_is_reported_while_one_of_its_exercises_has_no_answer(inbox, out):
    name = "05_embedding_and_positions.ipynb"
    files = {f"ada/{name}": "{}", "ada/05_embedding.py": key("embedding")}
    _, problems = collect([inbox(files)], out)
    assert problems == [
        f"ada: {name} is not taken: "
        "if it is an answer, call it 05_embedding.ipynb or 05_positions.ipynb"
    ]
    _, problems = collect([inbox({**files, "ada/05_positions.py": key("positions")})], out)
    assert problems == []


def test_no_answer_has_the_name_of_a_misnamed_one():
    for id in EXERCISES:
        for name in (stem(id), id):
            assert near_name(f"{name}.py") is None and near_name(f"{name}.ipynb") is None


@pytest.mark.parametrize(
    "name",
    [
        "04_heads (1).py",
        "04_heads(2).py",
        "04_heads-1.ipynb",
        "heads copy.py",
        "heads - Copy.py",
        "Heads.py",
    ],
)
def test_copy_of_an_answer_is_one(name):
    assert stem_of(name) == stem("heads")


def test_number_of_a_misnamed_file_is_that_of_a_notebook():
    for number in range(100):
        near = near_name(f"{number:02}_answer.py")
        expected = [stem(id) for id in EXERCISES if stem(id).startswith(f"{number:02}_")]
        assert (near.stems if near else []) == expected


def test_longest_id_within_a_name_is_meant():
    near = near_name("an_answer_to_masked_softmax_of_ada.py")
    assert near.stems == [stem("masked_softmax")]


def test_every_exercise_is_recognized_without_one_of_its_letters():
    for id in EXERCISES:
        for place in range(len(id)):
            typo = id[:place] + id[place + 1 :]
            near = near_name(f"{stem(id)[:3]}{typo}.py")
            # ecoder_layer may be both
            assert near and (near.stems == [stem(id)] or typo == "ecoder_layer")


@pytest.mark.parametrize("where", ["ada/{}", "ada_1_2_{}"])
def test_misnamed_version_is_reported_where_it_differs_from_what_was_taken(inbox, out, where):
    misnamed = where.format("my_heads.py")
    folder = inbox({where.format(FILE): "a", misnamed: "a"})
    assert collect([folder], out) == ({"ada": [stem("heads")]}, [])
    students, problems = collect([inbox({misnamed: "b"})], out)
    assert students == {"ada": [stem("heads")]}
    taken = where.format(FILE).removeprefix("ada/")
    assert problems == [
        f"ada: {is_not_taken('my_heads.py')}; {taken}, which is taken, differs from it"
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [(FILE, blank()), (f"{stem('heads')}.ipynb", student_notebook(course.load("heads")))],
)
@pytest.mark.parametrize("misnamed", ["heads_solved.py", f"{FILE}.old"])
def test_report_says_where_nothing_is_written_in_what_was_taken(
    inbox, out, name, content, misnamed
):
    _, problems = collect([inbox({f"ada/{name}": content, f"ada/{misnamed}": key()})], out)
    assert problems == [
        f"ada: {is_not_taken(misnamed)}; nothing is written in {name}, which is taken"
    ]


@pytest.mark.parametrize(
    "name",
    [
        f"{FILE}.old",
        f"{FILE}.old2",
        f"{FILE}.bak",
        f"{FILE}.orig",
        f"{FILE}~",
        ".ipynb_checkpoints/04_heads-checkpoint.py",
    ],
)
def test_backup_of_an_answer_that_is_written_is_not_reported(inbox, out, name):
    files = {f"ada/{FILE}": key(), f"ada/{name}": "an earlier one"}
    assert collect([inbox(files)], out) == ({"ada": [stem("heads")]}, [])


@pytest.mark.parametrize("name", [FILE, "04_heds.py"])
@pytest.mark.parametrize("place", [f"ada/{OTHER}", f"ada_1_2_{OTHER}", "ada.zip", "ada/warm_up.py"])
def test_answer_next_to_students_is_reported(inbox, out, name, place):
    content = make_zip({OTHER: "w"}) if place == "ada.zip" else "w"
    folder = inbox({name: "a", place: content})
    students, problems = collect([folder], out)
    assert [*students] == ["ada"] and f"ada/{FILE}" not in written(out)
    assert problems[0] == (
        f"{name} in {folder} is not taken, because there are also folders or files of students: "
        "move it to its student, or use --student NAME if all is one student's"
    )
    assert len(problems) == (2 if place == "ada/warm_up.py" else 1)


def test_folder_of_one_student_may_have_others_in_it(inbox, out, monkeypatch):
    files = {FILE: "a", "figures/heads.png": "", "runs/a/log.csv": "", "x.zip": "no"}
    monkeypatch.chdir(inbox(files))
    assert collect([Path()], out)[0] == {"inbox": [stem("heads")]}


def test_folder_with_only_misnamed_answers_is_one_student(inbox, out):
    students, problems = collect([inbox({f"{FILE}.txt": "a"})], out)
    assert students == {"inbox": []} and problems == [f"inbox: {is_not_taken(FILE + '.txt')}"]


@pytest.mark.parametrize("name", ["homework.py", "04_answer.py", "main.ipynb"])
def test_student_with_a_platform_name_and_no_answer_is_in_the_class(inbox, out, name):
    files = {f"ada_1_2_{name}": "a", f"bob_1_3_{FILE}": "b", "Screenshot_2026_11_29.png": ""}
    students, _ = collect([inbox(files)], out)
    assert students == {"ada": [], "bob": [stem("heads")]}


@pytest.mark.parametrize("name", ["04_many_heads.ipynb", "04_answer.py", f"{FILE}.old"])
def test_file_that_need_not_be_an_answer_may_be_next_to_students(inbox, out, name):
    folder = inbox({name: "{}", f"ada/{FILE}": "a"})
    assert collect([folder], out) == ({"ada": [stem("heads")]}, [])
    # in a student's folder it may be another version of the student's
    one = inbox({f"one/{FILE}": "a", f"one/old/{name}": "{}"}) / "one"
    assert collect([one], out)[0] == {"one": [stem("heads")]}


def test_misnamed_file_is_reported_once(inbox, out):
    _, problems = collect([inbox({"ada/my_heads.py": "a", "ada/x/my_heads.py": "a"})], out)
    assert problems == [f"ada: {is_not_taken('my_heads.py')}"]
