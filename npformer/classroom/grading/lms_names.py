"""What names say: of files, which exercise they answer and who uploaded them; of students, what a folder may be called.

Learning platforms put the student's name into that of the file or folder: Moodle as `First Last_123_assignsubmission_
file_`, Canvas as `lovelaceada_LATE_12_345_15_layer_norm_backward-1.py`.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import NamedTuple

from .. import index as course
from ..submission import SUFFIXES

COPY = r"(?: ?\(\d+\)|-\d+| copy| - Copy)?"  # what browsers, Canvas and desktops add to a name that is there already
NAMED = re.compile(rf"(?:\d\d_)?(?P<id>[a-z_]+?){COPY}$", re.IGNORECASE)
MOODLE = re.compile(r"(?P<student>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<name>)$")
CANVAS = re.compile(r"(?P<student>[^_]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<name>.+)$")
LONGEST = 100


def stem_of(name: str) -> str:
    """Return an exercise's number and id where a file's name holds its id, and nothing else.

    >>> stem_of("15_layer_norm_backward (1).py"), stem_of("notes.py")
    ('15_layer_norm_backward', '')
    """
    path = PurePosixPath(name)
    fits = NAMED.match(path.stem) if path.suffix in SUFFIXES else None
    id = fits["id"].lower() if fits else ""
    return course.stem(id) if id in course.paths() else ""


def nearly_stem_of(name: str) -> str:
    """Return an exercise's stem where a file's name holds its id among other words: somebody may have meant it.

    >>> nearly_stem_of("3_softmax_final.py"), nearly_stem_of("03_softmax.py"), nearly_stem_of("._03_softmax.py")
    ('03_softmax', '', '')
    """
    path = PurePosixPath(name)
    if path.suffix.lower() not in SUFFIXES or stem_of(name) or name.startswith("."):
        return ""
    within = [id for id in course.paths() if re.search(rf"(?<![a-z]){id}(?![a-z])", path.stem.lower())]
    return course.stem(max(within, key=len)) if within else ""


class Uploaded(NamedTuple):
    """What a platform puts into a name: the student, the student's number, and the file's own name."""

    student: str
    number: str
    name: str


def uploaded(name: str, *, folder: bool = False) -> Uploaded:
    """Part the name of an uploaded file, or of a folder; one that no platform gave has no student.

    >>> uploaded("First Last_123_assignsubmission_file_", folder=True).student
    'First Last'
    >>> uploaded("lovelaceada_LATE_12_345_course.zip")
    Uploaded(student='lovelaceada', number='12', name='course.zip')
    """
    fits = (MOODLE if folder else CANVAS).match(name)
    return Uploaded(fits["student"], fits["number"], fits["name"]) if fits else Uploaded("", "", name)


def own_name(name: str) -> str:
    """Return what a student called a file, whatever a platform called it.

    >>> own_name("lovelaceada_12_345_10_heads.py"), own_name("10_heads.py")
    ('10_heads.py', '10_heads.py')
    """
    return name if stem_of(name) else uploaded(name).name


def name_of(text: str) -> str:
    """Return a name that may be a folder's and stands in a table.

    >>> name_of("Ada L./../x")
    'Ada L._.._x'
    """
    return re.sub(r"[^\w .,@+-]", "_", text).strip(" .")[:LONGEST].strip(" .") or "_"
