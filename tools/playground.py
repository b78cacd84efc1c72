"""Write the playground, a page that runs npformer in the browser: python tools/playground.py site.

The site has it too. `--offline` names a distribution of Pyodide, which is copied.
"""

from __future__ import annotations

import argparse
import html
import json
import shutil
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import Any

from npformer.testing import PlantedBug, find_bug, gallery, plant
from npformer.visualization.comparison.changes import functions_of
from npformer.visualization.comparison.evidence import gradient_check, loss_curve
from npformer.visualization.comparison.what_if import OTHER_SEED
from npformer_course.in_browser.site import PYODIDE

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "npformer"
SOURCES = ROOT / "docs" / "playground"
COPIED = ("playground.css", "session.py")
SCRIPTS = ("main.js", "elements.js", "python.js", "words.js", "editor.js", "results.js")
WORKER = "worker.js"

SENTENCE = "the girl sees a small dog ."
BUG = "LayerNorm's backward without the mean"
EDITED = ("layers/*.py", "models/*.py", "training/adam.py")
EDITED_FIRST = "layers/layer_norm.py::LayerNorm.backward"
NOT_PACKED = ("datasets/files/", "datasets/trained/english_letters/")  # 2 MB
MODULES = (ROOT / "docs" / "browser" / "safetensors.py",)  # browsers have no compiled one

sys.path.insert(0, str(SOURCES))
from session import DROPOUT, N_UPDATES, SECOND_SENTENCE, Session  # noqa: E402 - a file of the page


def write(folder: Path, *, pyodide: str = PYODIDE, links: str = "") -> None:
    """Write playground.html, the folder playground/ and step.html, its step, into a folder.

    Arguments:
        folder: That of the site.
        pyodide: The address of a distribution of Pyodide, which may be relative to the page.
        links: HTML of links to other pages of the site, which step.html shows.
    """
    files = folder / "playground"
    files.mkdir(parents=True, exist_ok=True)
    for name in (*COPIED, *SCRIPTS, WORKER):
        shutil.copy(SOURCES / name, files)
    shutil.copy(ROOT / "docs" / "_static" / "favicon.svg", files)
    write_curves(files / "curves.js")
    write_package(files / "npformer.zip")

    session = Session()
    shown = session.translate(SENTENCE)
    target = shown["translation"]
    comparison = session.comparison(SENTENCE, target, BUG)
    other_seed = loss_curve(N_UPDATES, seed=OTHER_SEED)
    losses = loss_curve(N_UPDATES), losses_with_bug(), other_seed
    comparison = replace(comparison, losses=losses, gradient_check=gradient_check(find_bug(BUG)))
    comparison.save(files / "comparison.html")
    page = session.step(SENTENCE, target)["page"]
    if links:
        page = page.replace("</h1>", f'</h1>\n<p class="of-site">{links}</p>', 1)
    (folder / "step.html").write_text(page, encoding="utf-8")

    bugs = [bug for bug in gallery() if session.shows(SENTENCE, bug)]
    vocabularies = session.translator.vocabularies
    settings = {
        "pyodide": pyodide,
        "sentence": SENTENCE,
        "translation": target,
        "vocabularies": [vocabulary.to_json() for vocabulary in vocabularies],
        "code": code_of_functions(),
        "first": EDITED_FIRST,
    }
    content = {
        "sentence": html.escape(SENTENCE),
        "translation": html.escape(target),
        "attention": shown["attention"],
        "bug": html.escape(BUG),
        "second": SECOND_SENTENCE,
        "dropout": DROPOUT,
        "cards": "\n".join(map(card, bugs)),
        "settings": json.dumps(settings).replace("<", "\\u003c"),
    }
    page = Template((SOURCES / "playground.html").read_text("utf-8")).substitute(content)
    (folder / "playground.html").write_text(page, encoding="utf-8")


def losses_with_bug() -> Any:
    """Return the losses of the small training with the bug of the example."""
    with plant(find_bug(BUG)):
        return loss_curve(N_UPDATES)


def card(bug: PlantedBug) -> str:
    """Return the card of a bug: what is wrong, where it was seen, and what it teaches."""
    words, _, url = bug.seen.strip().rpartition(" ")
    link = f'<a href="{html.escape(url)}" rel="noreferrer">source</a>'
    title = html.escape(bug.title)
    return (
        f'<li><button type="button" data-bug="{title}">{title}</button>'
        f"<p>{html.escape(words.rstrip(':'))}: {link}</p>"
        f"<details><summary>What it teaches<span class='spoken'>: {title}</span></summary>"
        f"<p>{html.escape(bug.teaches.strip())}</p></details></li>"
    )


def code_of_functions() -> dict[str, dict[str, Any]]:
    """Return for each file that can be edited its functions: the first line and all lines."""
    files = {}
    for path in edited_files():
        name = path.relative_to(PACKAGE).as_posix()
        functions = {}
        for place, source in functions_of(name).items():
            functions[place.partition("::")[2]] = {"first": source.first, "lines": source.lines}
        if functions:
            files[name] = functions
    return files


def edited_files() -> Iterator[Path]:
    """Return the files of which a visitor may change a line."""
    for pattern in EDITED:
        yield from sorted(PACKAGE.glob(pattern))


def write_curves(path: Path) -> None:
    """Write the module that draws two curves as the page of a comparison does."""
    drawing = (PACKAGE / "visualization" / "comparison" / "loss_curves.js").read_text("utf-8")
    path.write_text(
        f'import {{ draw }} from "./elements.js";\n\n{drawing}\nexport {{ curvesOf }};\n',
        encoding="utf-8",
    )


def write_package(path: Path) -> None:
    """Write npformer as Pyodide unpacks it, without data that the page does not need."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(PACKAGE.rglob("*.*")):
            name = file.relative_to(PACKAGE).as_posix()
            if file.is_file() and "__pycache__" not in name and not name.startswith(NOT_PACKED):
                archive.write(file, f"npformer/{name}")
        for file in MODULES:
            archive.write(file, file.name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder to write")
    parser.add_argument(
        "--offline", type=Path, metavar="FOLDER", help="a distribution of Pyodide to be copied"
    )
    options = parser.parse_args()
    if options.offline:
        shutil.copytree(options.offline, options.out / "pyodide")
    write(options.out, pyodide="pyodide" if options.offline else PYODIDE)
