"""Names of files and folders as learning platforms give them.

Moodle: `First Last_123_assignsubmission_file_`, a folder, or with a file's name after it. Canvas:
`lovelaceada_LATE_12_345_12_layer_norm_backward-1.py`.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

from .. import course
from ..submission import SUFFIXES

# added by browsers, Canvas and desktops to a name that exists already
COPY = r"(?: ?\(\d+\)|-\d+| copy| - Copy)?"
ANSWER_STEM = re.compile(rf"(?:(?P<number>\d\d)_)?(?P<id>[a-z_]+?){COPY}$", re.IGNORECASE)
MOODLE = re.compile(
    r"(?P<student>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<name>.*))?$"
)
CANVAS = re.compile(r"(?P<student>[^_]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<name>.+)$")
LONGEST = 100  # characters of a student's name
ALLOWED = "_ .,@+-"  # in a student's name, next to letters and digits
# names that Windows keeps for devices, also with an ending
DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?$", re.IGNORECASE)


def stem_of(name: str) -> str:
    """Return an exercise's number and id where a file's name holds its id, and nothing else.

    The name may have the exercise's number, and no other.

    >>> stem_of("12_layer_norm_backward (1).py"), stem_of("softmax.py"), stem_of("04_softmax.py")
    ('12_layer_norm_backward', '03_softmax', '')
    """
    path = PurePosixPath(name)
    match = ANSWER_STEM.match(path.stem)
    if match is None or path.suffix not in SUFFIXES:
        return ""
    id = match["id"].lower()
    if id not in course.EXERCISES:
        return ""
    stem = course.stem(id)
    if match["number"] and not stem.startswith(match["number"]):
        return ""
    return stem


def student_of_upload(name: str, *, folder: bool = False) -> tuple[str, str]:
    """Return the student and the student's number in a platform's name of a file or folder.

    Both are empty where the name is not a platform's.

    >>> student_of_upload("First Last_123_assignsubmission_file_", folder=True)
    ('First Last', '123')
    >>> student_of_upload("lovelaceada_LATE_12_345_course.zip")
    ('lovelaceada', '12')
    """
    match = MOODLE.match(name)
    # Canvas makes one folder for all, with the student in a file's name
    if match is None and not folder:
        match = CANVAS.match(name)
    if match is None:
        return "", ""
    return match["student"], match["number"]


def own_name(name: str) -> str:
    """Return the student's name of a file, without what a platform puts before it.

    >>> own_name("lovelaceada_12_345_10_heads.py"), own_name("10_heads.py")
    ('10_heads.py', '10_heads.py')
    >>> own_name("First Last_123_assignsubmission_file_10_heads.py")
    '10_heads.py'
    """
    match = MOODLE.match(name) or CANVAS.match(name)
    if match and match["name"]:
        return match["name"]
    return name


def safe_name(text: str) -> str:
    """Return a student's name as it may be a folder's and in a table.

    >>> safe_name("Ada L./../x"), safe_name("प्रिया"), safe_name("Con")
    ('Ada L._.._x', 'प्रिया', '_Con')
    """
    # one form for a letter and its accent, which macOS writes as two characters
    characters = []
    for character in unicodedata.normalize("NFC", text):
        is_letter = unicodedata.category(character)[0] in "LMN"  # letters, their marks, digits
        if not is_letter and character not in ALLOWED:
            character = "_"
        characters.append(character)

    # a folder that begins with a dot is hidden, and Windows drops a dot or a space at the end, also
    # one at which the name is cut
    name = "".join(characters)[:LONGEST].strip(" .")
    if not name or DEVICE.match(name):
        return f"_{name}"
    return name
