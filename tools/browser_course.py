"""Write the part of the site that runs in the browser: python tools/browser_course.py site/lite.

It needs the extra lite.
"""

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import npformer as npf
from npformer_course import course
from npformer_course.files import student_notebook
from npformer_course.in_browser.site import write_site

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
    found = {path.relative_to(ROOT).as_posix(): without_outputs(path) for path in paths}
    found |= {
        f"exercises/{course.stem(id)}.ipynb": student_notebook(course.load(id))
        for id in course.EXERCISES
    }
    found["exercises/progress.json"] = "{}"
    return found | {f"runs/phrasebook/{name}": (run / name).read_bytes() for name in OF_A_RUN}


def without_outputs(path):
    """Return the content of a file, a notebook without outputs: the site's own page of it shows
    them.
    """
    if path.suffix != ".ipynb":
        return path.read_bytes()
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    return json.dumps(notebook, ensure_ascii=False)


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
