import pytest

from npformer.utils.errors import InputError
from npformer_course.course import stem
from npformer_course.grading.manual_marks import read_marks

HEAD = "student,exercise,points,comment\n"


@pytest.fixture
def marks(tmp_path):
    """Write the table and read it."""

    def read(text, ids=("heads",), head=HEAD):
        content = text if isinstance(text, bytes) else (head + text).encode()
        (tmp_path / "marks.csv").write_bytes(content)
        found = read_marks(tmp_path, ids)
        assert (tmp_path / "marks.csv").read_bytes() == content
        return found

    return read


def test_empty_marks_table_is_created(tmp_path):
    assert read_marks(tmp_path / "new", []) == {}
    assert (tmp_path / "new" / "marks.csv").read_text() == HEAD


def test_marks_add_up_for_each_student(marks):
    assert marks('ada,heads,2,"fine, really"\nbob,,-1,late\nada,,0.5,\n') == {"ada": 2.5, "bob": -1}


@pytest.mark.parametrize(
    ("exercise", "counts"), [("heads", 1), (stem("heads"), 1), ("", 1), ("warmup", 0)]
)
def test_marks_count_only_for_graded_exercises(marks, exercise, counts):
    assert marks(f"ada,{exercise},3,\n") == ({"ada": 3} if counts else {})


def test_marks_saved_by_spreadsheets_are_read(marks):
    assert marks("\ufeffstudent;exercise;points;comment\r\nJörg;;0,5;\r\n;;;\r\n".encode()) == {
        "Jörg": 0.5
    }
    assert marks("ada, heads , 1 ,\n,,,\n\nbob,,1\n") == {"ada": 1, "bob": 1}


@pytest.mark.parametrize(
    ("written", "student"), [("O\u0308z", "\u00d6z"), ("Bob O'Brien", "Bob O_Brien"), ("", "")]
)
def test_names_are_written_as_those_of_the_graded_students(marks, written, student):
    assert marks(f"{written},,1,\n{student},,2,\n") == {student: 3}


@pytest.mark.parametrize("points", ["", "two", "nan", "inf", "1,5", "1e999"])
def test_non_numeric_points_are_rejected_with_line_number(marks, points):
    with pytest.raises(InputError, match=r"marks\.csv, line 3: points must be a number"):
        marks(f'ada,,1,\nada,,"{points}",\n')


def test_points_whose_sum_is_infinite_are_rejected(marks):
    with pytest.raises(InputError, match=r"marks\.csv, line 3: points must be a number"):
        marks("ada,,1e308,\nada,,1e308,\n")


def test_unclosed_quote_does_not_hide_the_lines_below_it(marks):
    with pytest.raises(InputError, match=r"marks\.csv, line 2: .*: look at the quotes"):
        marks('ada,,1,"fine\nbob,,2,\n')
    assert marks('ada,,1,"two\nlines"\nbob,,2,5" tall\n') == {"ada": 1, "bob": 2}


@pytest.mark.parametrize("line", ["ada,,1,5,fine", "ada,,1,5", "ada,,1, 5 ", "ada,,1,5,"])
def test_decimal_comma_between_commas_is_rejected(marks, line):
    with pytest.raises(InputError, match=r"marks\.csv, line 2: .* points such as 1\.5"):
        marks(f"{line}\n")


def test_comment_may_have_any_separator_of_lines(marks):
    assert marks("ada,,1,a\u2028b\x0cc\nbob,,2,\n") == {"ada": 1, "bob": 2}


def test_unknown_exercise_is_rejected_with_line_number(marks):
    with pytest.raises(InputError, match=r"marks\.csv, line 2: there is no exercise 'haeds'"):
        marks("ada,haeds,1,\n")


@pytest.mark.parametrize("head", ["", "student,points\n", "Student,exercise,points,comment\n"])
def test_unexpected_columns_are_rejected(marks, head):
    with pytest.raises(InputError, match="expected the columns student, exercise, points, comment"):
        marks("ada,,1,\n", head=head)
