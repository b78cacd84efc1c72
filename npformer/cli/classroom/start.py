"""Write a folder with the exercises: files to write in, or notebooks."""

from __future__ import annotations

from pathlib import Path

from ...classroom.student import folder
from ..options import file_name, utf8_text
from .terminal import say


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument("folder", type=file_name, metavar="DIR", help="folder to write")
    parser.add_argument("ids", nargs="*", default=[], type=utf8_text, metavar="ID", help="exercises (default: all)")
    parser.add_argument("--notebooks", action="store_true", help="notebooks in place of files")


def run(options) -> int:
    """Write the folder and say how to continue."""
    files = folder.start(Path(options.folder), options.ids, notebooks=options.notebooks)
    say(f"{len(files)} exercise{'s are' if len(files) > 1 else ' is'} in {options.folder}.", "title")
    if options.notebooks:
        say(f"Open {files[0].name} in JupyterLab or VS Code and run it from the top.")
    else:
        say(f"Go there (cd {options.folder}), type  npformer class  and open {files[0].name} in an editor.")
    return 0
