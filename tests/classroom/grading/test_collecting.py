"""Submissions as they come: what is theirs arrives, under its own name, and nothing else does."""

import io
import os
import stat
import zipfile

import pytest

from npformer.classroom.grading import archives as handed
from npformer.classroom.grading.collect import collect
from npformer.utils.errors import InputError

FILE, OTHER = "10_heads.py", "23_warmup.py"


@pytest.fixture
def inbox(tmp_path):
    """Write what came: `inbox({"ada/10_heads.py": "x"})`."""

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


def zipped(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def written(out):
    return {str(path.relative_to(out)): path.read_text() for path in sorted(out.rglob("*")) if path.is_file()}


def test_a_folder_of_students(inbox, out):
    folder = inbox({f"ada/{FILE}": "a", f"bob/{FILE}": "b", f"bob/{OTHER}": "c", "notes.txt": "", ".git/x.py": ""})
    found = collect([folder], out)
    assert found.students == {"ada": ["10_heads"], "bob": ["10_heads", "23_warmup"]} and not found.problems
    assert written(out) == {f"ada/{FILE}": "a", f"bob/{FILE}": "b", f"bob/{OTHER}": "c"}


def test_one_students_folder_has_the_folders_name(inbox, out, monkeypatch):
    folder = inbox({FILE: "a", "deep/er/23_warmup.ipynb": "{}"})
    assert collect([folder], out).students == {"inbox": ["10_heads", "23_warmup"]}
    monkeypatch.chdir(folder)
    assert collect([type(out)(".")], out / "here").students == {"inbox": ["10_heads", "23_warmup"]}


def test_zip_files_beside_folders_and_inside_of_them(inbox, out):
    folder = inbox({"ada.zip": zipped({f"course/{FILE}": "a"}), f"bob/{FILE}": "b", "eve/all.ZIP": zipped({FILE: "e"})})
    assert collect([folder], out).students == {name: ["10_heads"] for name in ("ada", "bob", "eve")}
    assert written(out) == {f"ada/{FILE}": "a", f"bob/{FILE}": "b", f"eve/{FILE}": "e"}
    assert collect([folder / "ada.zip"], out / "one").students == {"ada": ["10_heads"]}


def test_several_sources_come_together(inbox, out):
    folder = inbox({f"monday/ada/{FILE}": "a", f"friday/ada/{OTHER}": "w", f"friday/bob/{FILE}": "b"})
    found = collect([folder / "monday", folder / "friday"], out)
    assert found.students == {"ada": ["10_heads", "23_warmup"], "bob": ["10_heads"]}


def test_all_of_it_is_one_students_where_one_is_named(inbox, out):
    folder = inbox({f"a/{FILE}": "a", f"b/{OTHER}": "b"})
    assert collect([folder], out, "Ada").students == {"Ada": ["10_heads", "23_warmup"]}
    found = collect([inbox({"x_3_45_my_heads.py": "h", "x_3_46_20_tied_generator.py": ""})], out, "Ada")
    assert found.students == {"Ada": ["10_heads", "20_tied_generator", "23_warmup"]} and not found.problems


@pytest.mark.parametrize("name", ["../../10_heads.py", "/etc/10_heads.py", "..\\..\\10_heads.py", "C:\\x\\10_heads.py"])
def test_no_name_in_a_zip_leads_out_of_the_folder(inbox, out, name):
    folder = inbox({"ada.zip": zipped({name: "a"})})
    before = {path for path in out.parent.rglob("*") if "inbox" not in path.parts}
    collect([folder], out)
    assert {path for path in out.parent.rglob("*") if "inbox" not in path.parts} - before == {
        out,
        out / "ada",
        out / "ada" / FILE,
    }


@pytest.mark.parametrize(
    "name", ["10_heads (1).py", "10_heads(2).py", "10_heads-1.py", "10_heads copy.py", "heads.py", "10_Heads.py"]
)
def test_names_that_browsers_and_desktops_give(inbox, out, name):
    collect([inbox({f"ada/{name}": "a"})], out)
    assert written(out) == {f"ada/{FILE}": "a"}


@pytest.mark.parametrize(
    "name",
    ["heads.txt", "10_heads.py.old", "._10_heads.py", "spearheads.py", "q.py"],
)
def test_other_files_stay_where_they_are(inbox, out, name):
    found = collect([inbox({f"ada/{name}": "a"})], out)
    assert found.students == {"ada": []} and not found.problems
    assert written(out) == {} and (out / "ada").is_dir()


@pytest.mark.parametrize(
    "name", ["my_heads.py", "1_heads.py", "heads final.ipynb", "10_heads-checkpoint.ipynb", "Heads.PY"]
)
@pytest.mark.parametrize("way", ["folder", "zip", "upload"])
def test_a_name_that_comes_near_an_exercises_is_told(inbox, out, name, way):
    where = {"folder": f"ada/{name}", "zip": "ada.zip", "upload": f"ada_1_2_{name}"}[way]
    found = collect([inbox({where: zipped({f"course/{name}": "a"}) if way == "zip" else "a"})], out)
    assert found.students == {"ada": []} and written(out) == {}
    right = f"10_heads{name[name.index('.') :].lower()}"
    assert found.problems == [f"ada: {name} is not taken: if it is the answer to 10_heads, call it {right}"]


def test_nobody_asks_about_helpers_of_what_is_answered(inbox, out):
    folder = inbox({f"ada/{FILE}": "a", "ada/test_heads.py": "", "bob.zip": zipped({"my_heads.py": "", FILE: "b"})})
    found = collect([folder], out)
    assert found.students == {"ada": ["10_heads"], "bob": ["10_heads"]} and not found.problems


def test_of_two_names_the_longer_is_meant(inbox, out):
    (problem,) = collect([inbox({"ada/12_multi_head_backward_v2.py": "a"})], out).problems
    assert "call it 12_multi_head_backward.py" in problem


def test_names_of_platforms(inbox, out):
    folder = inbox(
        {
            f"First Last_12_assignsubmission_file_/{FILE}": "moodle",
            "turingalan_LATE_3_45_10_heads-1.py": "canvas",
            "turingalan_3_46_23_warmup.ipynb": "{}",
            "hoppergrace_5_47_course.zip": zipped({FILE: "zip"}),
        }
    )
    assert collect([folder], out).students == {
        "First Last": ["10_heads"],
        "hoppergrace": ["10_heads"],
        "turingalan": ["10_heads", "23_warmup"],
    }
    assert written(out)[f"turingalan/{FILE}"] == "canvas"


def test_two_of_the_same_name_keep_their_numbers(inbox, out):
    names = [f"Ada_{number}_assignsubmission_file_" for number in (1, 2)]
    found = collect([inbox({f"{name}/{FILE}": name for name in names})], out)
    assert found.students == {"Ada_1": ["10_heads"], "Ada_2": ["10_heads"]} and not found.problems


def test_a_name_without_a_number_stays_beside_one_that_has_one(inbox, out):
    names = ["Ada", "Ada_12_assignsubmission_file_"]
    found = collect([inbox({f"{name}/{FILE}": name for name in names})], out)
    assert found.students == {"Ada": ["10_heads"], "Ada_12": ["10_heads"]} and not found.problems


def test_folders_whose_names_only_look_like_a_platforms_stay_apart(inbox, out):
    folder = inbox({f"team_1_2_x/{FILE}": "a", f"team_1_3_x/{FILE}": "b"})
    assert [*collect([folder], out).students] == ["team_1_2_x", "team_1_3_x"]


@pytest.mark.parametrize(
    ("name", "as_folder"),
    [
        ("Jörg Müller", "Jörg Müller"),
        ("林徽因", "林徽因"),
        ("a\nb", "a_b"),
        ("<b>x", "_b_x"),
        ("-rf", "-rf"),
        ("=cmd|x", "_cmd_x"),
        ("x" * 200, "x" * 100),
        ("x" * 99 + " and more", "x" * 99),
        (os.fsdecode(b"caf\xe9"), "caf_"),
    ],
)
def test_odd_names_become_names_of_folders(inbox, out, name, as_folder):
    try:
        folder = inbox({f"{name}/{FILE}": "a"})
    except OSError:
        pytest.skip("this file system has no such name")
    assert [*collect([folder], out).students] == [as_folder]
    assert (out / as_folder / FILE).is_file()


@pytest.mark.parametrize("names", [("a<", "a>"), ("Ada", "ada")])
def test_students_who_would_share_a_folder_are_not_mixed(inbox, out, names):
    folder = inbox({f"{name}/{FILE}": name for name in names})
    if len([*folder.iterdir()]) < 2:
        pytest.skip("this file system does not tell them apart")
    with pytest.raises(InputError, match="would share a folder: rename"):
        collect([folder], out)


def test_of_two_answers_neither_is_taken_and_the_rest_is(inbox, out):
    folder = inbox({f"ada/{FILE}": "a", "ada/old/10_heads.py": "b", f"ada/{OTHER}": "w", f"bob/{FILE}": "b"})
    found = collect([folder], out)
    assert found.students == {"ada": ["23_warmup"], "bob": ["10_heads"]}
    (problem,) = found.problems
    assert "ada: two answers to 10_heads" in problem and "keep one" in problem


def test_what_is_in_doubt_stays_so_whatever_a_further_place_has(inbox, out):
    doubtful, further = inbox({f"ada/{FILE}": "a", "ada/old/10_heads.py": "b"}), out.parent / "more"
    (further / "ada").mkdir(parents=True)
    (further / "ada" / FILE).write_text("c")
    found = collect([doubtful, further], out)
    assert found.students == {"ada": []} and len(found.problems) == 1
    assert f"{FILE} and old" in found.problems[0].replace("\\", "/") and not (out / "ada" / FILE).exists()


def test_one_answer_of_a_zip_file_that_is_damaged_costs_itself(inbox, out):
    whole = zipped({FILE: "answer " * 100, OTHER: "w"})
    found = collect([inbox({"ada.zip": flipped(whole)})], out)
    assert found.students == {"ada": ["23_warmup"]} and "ada.zip/10_heads.py cannot be read" in found.problems[0]


def test_the_same_answer_twice_is_one(inbox, out):
    folder = inbox({f"ada/{FILE}": "a", "ada/old/10_heads.py": "a", "ada/all.zip": zipped({FILE: "a"})})
    found = collect([folder], out)
    assert found.students == {"ada": ["10_heads"]} and not found.problems


@pytest.mark.parametrize("damage", [lambda b: b[:-30], lambda b: b"no zip", lambda b: b"", lambda b: flipped(b)])
def test_a_damaged_zip_file_is_named_and_stops_nobody(inbox, out, damage):
    whole = zipped({FILE: "answer " * 100})
    found = collect([inbox({"ada.zip": damage(whole), f"bob/{FILE}": "b"})], out)
    assert found.students == {"ada": [], "bob": ["10_heads"]}
    (problem,) = found.problems
    whole_or_not = "ada.zip/10_heads.py cannot be read (" if "CRC" in problem else "ada.zip is no whole zip file ("
    assert problem.startswith(f"ada: {whole_or_not}") and problem.endswith("ask for it again")


def flipped(content):
    """Return a zip file with another byte in what it holds."""
    place = len(FILE) + 30 + 5
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


def test_a_zip_bomb_is_not_unpacked(inbox, out):
    bomb = zipped({FILE: b"0" * (handed.LARGEST + 1), OTHER: "w"})
    found = collect([inbox({"ada.zip": bomb, "bob.zip": zipped({"zeros.bin": b"0" * (1 << 24), FILE: "b"})})], out)
    assert found.students == {"ada": ["23_warmup"], "bob": ["10_heads"]}
    assert found.problems == ["ada: 10_heads.py in ada.zip is larger than 4 MiB"]


def test_a_size_that_lies_is_not_believed(inbox, out):
    content = zipped({FILE: b"0" * (handed.LARGEST + 1)})
    size, lie = (n.to_bytes(4, "little") for n in (handed.LARGEST + 1, 10))
    found = collect([inbox({"ada.zip": content.replace(size, lie)})], out)
    assert found.students == {"ada": []} and len(found.problems) == 1


def test_a_file_too_large_is_named(inbox, out):
    found = collect([inbox({f"ada/{FILE}": b"0" * (handed.LARGEST + 1), f"ada/{OTHER}": "w"})], out)
    assert found.students == {"ada": ["23_warmup"]} and found.problems == ["ada: 10_heads.py is larger than 4 MiB"]


def test_the_largest_is_taken(inbox, out):
    assert collect([inbox({f"ada/{FILE}": b"0" * handed.LARGEST})], out).students == {"ada": ["10_heads"]}


def test_an_encrypted_zip_file_is_named(inbox, out):
    content = bytearray(zipped({FILE: "a"}))
    content[6] |= 1
    content[content.index(b"PK\1\2") + 8] |= 1
    (problem,) = collect([inbox({"ada.zip": bytes(content)})], out).problems
    assert "10_heads.py cannot be read" in problem and "encrypted" in problem


@pytest.mark.skipif(os.name == "nt", reason="links want rights there")
def test_links_are_not_followed(inbox, out, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / FILE).write_text("secret")
    folder = inbox({f"ada/{OTHER}": "w"})
    (folder / "ada" / FILE).symlink_to(tmp_path / "secret" / FILE)
    (folder / "ada" / "more").symlink_to(tmp_path / "secret")
    (folder / "bob").symlink_to(tmp_path / "secret")
    assert collect([folder], out).students == {"ada": ["23_warmup"]}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden here")
def test_what_cannot_be_read_is_named(inbox, out):
    folder = inbox({f"ada/{FILE}": "a"})
    (folder / "ada" / FILE).chmod(0)
    assert collect([folder], out).problems == [f"ada: cannot read {FILE}: Permission denied"]


def test_nothing_at_all_is_refused(inbox, out, tmp_path):
    with pytest.raises(InputError, match="nothing was handed in in "):
        collect([inbox({"notes.txt": ""})], out)
    with pytest.raises(InputError, match="does not exist"):
        collect([tmp_path / "nowhere"], out)
    with pytest.raises(InputError, match="nothing was handed in in "):
        collect([inbox({})], out, "Ada")
    with pytest.raises(InputError, match="neither a folder nor a zip file"):
        collect([inbox({}) / "notes.txt"], out)


def test_what_comes_late_replaces_what_was_there_of_either_kind(inbox, out):
    folder = inbox({f"first/ada/{FILE}": "a", f"first/ada/{OTHER}": "w", "late/ada/10_heads.ipynb": "{}"})
    collect([folder / "first"], out)
    collect([folder / "late"], out)
    assert written(out) == {"ada/10_heads.ipynb": "{}", f"ada/{OTHER}": "w"}


def test_what_is_written_may_be_read_and_written(inbox, out):
    collect([inbox({f"ada/{FILE}": "a"})], out)
    assert (out / "ada" / FILE).stat().st_mode & (stat.S_IRUSR | stat.S_IWUSR) == stat.S_IRUSR | stat.S_IWUSR
