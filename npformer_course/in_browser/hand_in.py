"""A week's exercises on a web page, and one file per student to hand in."""

from __future__ import annotations

import base64
import html
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from npformer.utils.errors import InputError, import_optional
from npformer.utils.files import write_atomic

from .. import course
from ..files import notebook, student_notebook
from ..percent_format import Cell
from ..student.kept import FOLDER
from ..student.progress import NAME
from ..student.short_message import one_line_errors
from ..submission import answer_in, code_of, text_of
from .site import RUN, write_site

KEPT = Path("..", "notebooks") / FOLDER  # what was right in a notebook of the course
UNWRITTEN = "NotImplementedError"
ASK = """# # Hand in
#
# Save every notebook that you wrote in (Ctrl+S). Then write your name below, and run the cell."""
HAND_IN = 'from npformer_course.in_browser.hand_in import hand_in\n\nhand_in("")  # your name'
START = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body {{font: 18px/1.6 sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem}}
:root {{color-scheme: light dark}}</style>
<h1>{title}</h1><ul>{links}</ul>
<p>Each opens in this browser, which also keeps what you write: use the same one every time. The
first page takes a minute to load. An answer may take three seconds, then its check stops it; a cell
of your own that never ends is stopped by Kernel, Restart. At the end, save all notebooks (Ctrl+S)
and <a href="{run}hand_in.ipynb">hand in</a> one file with all your answers.</p>
"""


def write_class_site(
    out: Path, ids: Sequence[str], *, title: str, offline: Path | None = None
) -> list[Path]:
    """Write a folder for any web space with some exercises; see `write_site`.

    It has a first page, and a page to hand in.
    """
    files: dict[str, bytes | str] = {}
    links = []
    for id in ids:
        exercise = course.load(id)
        name = f"{course.stem(id)}.ipynb"
        files[name] = student_notebook(exercise)
        links.append(f'<li><a href="lite/{RUN}{name}">{exercise.title}</a>')
    files[NAME] = "{}\n"
    files["hand_in.ipynb"] = notebook([Cell(ASK, markdown=True), Cell(HAND_IN)])
    write_site(out / "lite", files, title=title, offline=offline)

    page = START.format(title=html.escape(title), links="\n".join(links), run=f"lite/{RUN}")
    write_atomic(out / "index.html", page)
    return [out / "index.html"]


@one_line_errors()
def hand_in(name: str):
    """Show a link to one file with all answers, for `npformer course collect`.

    An answer is in a notebook of this folder, or was kept by a notebook of the course.
    """
    if not name.strip():
        raise InputError(
            "hand_in got an empty name: "
            'write yours between the quotes, as in hand_in("Ada Lovelace")'
        )
    content = io.BytesIO()
    n_exercises = 0
    written = []
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for id in course.EXERCISES:
            path = _answer(id)
            if path is None:
                continue
            archive.write(path, path.name)
            n_exercises += 1
            if UNWRITTEN not in text_of(code_of(path)):
                written.append(f"<li>{path.stem}")
        archive.write(NAME)
    summary = (
        f"<p>Written: {len(written)} of {n_exercises} exercises. One is not listed while its "
        f"notebook is not saved, or still has a line with {UNWRITTEN}; what a notebook of the "
        "course said it has kept is one of them once all its functions are right.</p>"
        f"<ul>{''.join(written)}</ul>"
    )

    file = html.escape(f"{name.strip()}.zip")
    # there is no server that could give the file out, so that the link itself holds all of it
    data = base64.b64encode(content.getvalue()).decode()
    address = f"data:application/zip;base64,{data}"
    link = f'<a download="{file}" href="{address}">Download {file}</a>'
    display = import_optional("IPython.display", "npformer[notebooks]")
    return display.HTML(summary + link)


def _answer(id: str) -> Path | None:
    """Return the file that answers an exercise: of two the one with more written, or None."""
    path = answer_in(Path(), id)
    kept = answer_in(KEPT, id)
    if path is None or kept is None:
        return path
    n_unwritten = {file: text_of(code_of(file)).count(UNWRITTEN) for file in (path, kept)}
    return kept if n_unwritten[kept] < n_unwritten[path] else path
