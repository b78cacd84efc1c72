"""Write the part of the site that runs in the browser: python tools/browser_course.py site/lite.

It needs the extra lite.
"""

import argparse
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import npformer as npf
from npformer_course import course
from npformer_course.files import notebook, student_notebook
from npformer_course.in_browser.hand_in import ASK, HAND_IN
from npformer_course.in_browser.site import RUN, write_site
from npformer_course.order import NOTEBOOKS, labels
from npformer_course.percent_format import Cell

ROOT = Path(__file__).parents[1]
COPIED = (
    "notebooks/[0-9]*.ipynb",
    "notebooks/helpers/*.py",
    "notebooks/helpers/*.tsv.gz",
    "notebooks/helpers/pictures/*.py",
    "notebooks/helpers/schematics/*.py",
    "notebooks/helpers/live_figures/*.py",
    "notebooks/helpers/live_figures/frame.css",
    "notebooks/helpers/live_figures/*.js",
    "notebooks/helpers/elsewhere/*.py",
    "docs/explanation/results.md",  # which notebook 22b reads
)
NOT_FOR_THE_BROWSER = ("32b", "32c")  # they need sentencepiece, which browsers do not have
MODULES = [
    *ROOT.glob("docs/browser/*.py")
]  # in place of libraries of which browsers have no compiled one
LIBRARIES = ["sacrebleu", "tabulate", "colorama"]  # the second and third are for the first
OF_A_RUN = (
    "config.json",
    "weights.safetensors",
    "source_vocabulary.json",
    "target_vocabulary.json",
)


# JupyterLite's logo leads to tree/, as do links from one notebook to another, and its first page
# to lab/: the site has neither
REDIRECTED = ("tree", "lab")
COURSE_PAGE = "../../notebooks/README.html"
REDIRECTION = f"""<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>The course</title>
<script>
const path = new URLSearchParams(location.search).get("path") ?? "";
const isNotebook = path.endsWith(".ipynb");
location.replace(isNotebook ? `../{RUN}${{path}}` : "{COURSE_PAGE}");
</script>
<p><a href="{COURSE_PAGE}">The course</a></p></html>
"""
HAND_IN_PAGE = "exercises/hand_in.ipynb"


def files(run):
    """Return what lies next to the notebooks in the browser, by name; a run folder is
    `runs/phrasebook` there.
    """
    paths = [
        path
        for glob in COPIED
        for path in ROOT.glob(glob)
        if not path.name.startswith(NOT_FOR_THE_BROWSER)
    ]
    found: dict[str, bytes | str] = {}
    for path in paths:
        found[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    found |= {
        f"exercises/{course.stem(id)}.ipynb": student_notebook(course.load(id))
        for id in course.EXERCISES
    }
    in_order = [name for name in titles() if name in found]
    for name, following in zip(in_order, [*in_order[1:], None], strict=True):
        found[name] = for_the_browser(name, found[name], following)
    found[HAND_IN_PAGE] = notebook([Cell(ASK, markdown=True), Cell(HAND_IN)])
    found["exercises/progress.json"] = "{}"
    return found | {f"runs/phrasebook/{name}": (run / name).read_bytes() for name in OF_A_RUN}


def titles():
    """Return the titles of all notebooks and exercises by the names of their files, in the order
    of the course.
    """
    found = {}
    for page in NOTEBOOKS:
        label = labels()[page.name]
        found[f"notebooks/{label}_{page.name}.ipynb"] = f"{label} {page.title}"
        for id in page.exercises:
            found[f"exercises/{course.stem(id)}.ipynb"] = course.load(id).title
        for detour in page.detours:
            label = labels()[detour.name]
            found[f"notebooks/{label}_{detour.name}.ipynb"] = f"{label} {detour.title}"
    return found


def for_the_browser(name, content, following):
    """Return a notebook without outputs, which the site's own page of it shows, and with a first
    cell that says what to wait for and where to go from here. An exercise also ends with the way.
    """
    page = json.loads(content)
    for cell in page["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    start = {"cell_type": "markdown", "metadata": {}, "source": first_cell(name, following)}
    end = {"cell_type": "markdown", "metadata": {}, "source": f"*{links_from_here(following)}*"}
    if page["nbformat_minor"] >= 5:
        start["id"] = "start"
        end["id"] = "end"
    page["cells"].insert(0, start)
    if name.startswith("exercises/"):  # other notebooks end with a link of their own
        page["cells"].append(end)
    return json.dumps(page, ensure_ascii=False)


def first_cell(name, following):
    """Return the text of the first cell. The address of the site is only known from SITE_URL."""
    site = os.environ.get("SITE_URL", "").rstrip("/")
    back = "The site is in the tab from which you came."
    if site:
        back = f"[Back to its page]({site}/{name.replace('.ipynb', '.html')})."
    return (
        "*Python is starting, which takes about 15 seconds: a cell with `[*]` waits for it. "
        "Shift+Enter runs a cell. What you write stays in this browser; Ctrl+S saves it.*\n\n"
        f"*{back} {links_from_here(following)}*"
    )


def links_from_here(following):
    """Return the links to the next page, if there is one, and to the page that hands in."""
    links = f"[Hand in](../{HAND_IN_PAGE}) what you wrote."
    if following:
        links = f"Next: [{titles()[following]}](../{following}). {links}"
    return links


def trained(folder):
    """Train the run of the phrasebook, a minute or two, and return its folder."""
    run = npf.runs.begin("phrasebook", folder=folder / "phrasebook")
    for epoch in run.epochs():
        print(f"epoch {epoch.epoch}: loss {epoch.loss:.2f}", flush=True)
    return run.folder.path


def write(out, run, *, offline=None):
    """Write the folder `out`."""
    write_site(
        out, files(run), title="npformer", offline=offline, modules=MODULES, libraries=LIBRARIES
    )
    for name in REDIRECTED:
        (out / name).mkdir()
        (out / name / "index.html").write_text(REDIRECTION, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder to write")
    parser.add_argument(
        "--offline", type=Path, metavar="FOLDER", help="a distribution of Pyodide to be copied"
    )
    parser.add_argument(
        "--run", type=Path, help="a trained run of the phrasebook (default: train one)"
    )
    options = parser.parse_args()
    with TemporaryDirectory() as place:
        run = options.run or trained(Path(place))
        write(options.out, run, offline=options.offline)
