"""Names of files and folders as learning platforms give them.

Moodle: `First Last_123_assignsubmission_file_`. Canvas: `lovelaceada_LATE_12_345_15_layer_norm_backward-1.py`.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from .. import course
from ..submission import SUFFIXES

COPY = r"(?: ?\(\d+\)|-\d+| copy| - Copy)?"  # added by browsers, Canvas and desktops to a name that exists already
ANSWER_STEM = re.compile(rf"(?:\d\d_)?(?P<id>[a-z_]+?){COPY}$", re.IGNORECASE)
MOODLE = re.compile(r"(?P<student>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?$")
CANVAS = re.compile(r"(?P<student>[^_]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<name>.+)$")
LONGEST = 100


def stem_of(name: str) -> str:
    """Return an exercise's number and id where a file's name holds its id, and nothing else.

    >>> stem_of("15_layer_norm_backward (1).py"), stem_of("notes.py")
    ('15_layer_norm_backward', '')
    """
    path = PurePosixPath(name)
    fits = ANSWER_STEM.match(path.stem) if path.suffix in SUFFIXES else None
    id = fits["id"].lower() if fits else ""
    return course.stem(id) if id in course.paths() else ""


def nearly_stem_of(name: str) -> str:
    """Return an exercise's stem where a file's name holds its id among other words.

    >>> nearly_stem_of("3_softmax_final.py"), nearly_stem_of("03_softmax.py"), nearly_stem_of("._03_softmax.py")
    ('03_softmax', '', '')
    """
    path = PurePosixPath(name)
    if path.suffix.lower() not in SUFFIXES or stem_of(name) or name.startswith("."):
        return ""
    within = [
        id for id in course.paths() if re.search(rf"(?<![a-z]){id}(?![a-z])", path.stem.lower())
    ]
    return course.stem(max(within, key=len)) if within else ""


def uploaded_by(name: str, *, folder: bool = False) -> tuple[str, str]:
    """Return the student and the student's number in a platform's name of a file or folder, else two empty texts.

    >>> uploaded_by("First Last_123_assignsubmission_file_", folder=True)
    ('First Last', '123')
    >>> uploaded_by("lovelaceada_LATE_12_345_course.zip")
    ('lovelaceada', '12')
    """
    fits = (MOODLE if folder else CANVAS).match(name)
    return (fits["student"], fits["number"]) if fits else ("", "")


def own_name(name: str) -> str:
    """Return the student's name of a file, without what Canvas puts before it.

    >>> own_name("lovelaceada_12_345_10_heads.py"), own_name("10_heads.py")
    ('10_heads.py', '10_heads.py')
    """
    fits = None if stem_of(name) else CANVAS.match(name)
    return fits["name"] if fits else name


def safe_name(text: str) -> str:
    """Return a student's name as it may be a folder's and in a table.

    >>> safe_name("Ada L./../x")
    'Ada L._.._x'
    """
    return re.sub(r"[^\w .,@+-]", "_", text).strip(" .")[:LONGEST].strip(" .") or "_"
