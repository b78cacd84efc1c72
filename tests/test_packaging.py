"""What the package says of itself: its extras, its addresses."""

import re
from configparser import ConfigParser
from pathlib import Path

from tools.project_urls import with_urls

ROOT = Path(__file__).parents[1]
SETUP = (ROOT / "setup.cfg").read_text(encoding="utf-8")
# the extras of npformer[torch] and of ".[dev,parity]"
NAMED = re.compile(r"(?:npformer|(?<=[\s\"`])\.)\[([a-z0-9,]+)\]")
PAGES = ("docs/explanation", "docs/how_to", "docs/reference", "docs/tutorials")
FOLDERS = ("benchmarks", "notebooks", "npformer", "npformer_course", "tests", "tools", *PAGES)


def parsed(text):
    config = ConfigParser()
    config.read_string(text)
    return config


def test_extras_that_are_named_exist():
    paths = [ROOT / ".ci" / "run", *ROOT.glob("*.md"), *ROOT.glob(".github/workflows/*.yml")]
    for folder in FOLDERS:
        for kind in ("py", "ipynb", "md"):
            paths += (ROOT / folder).rglob(f"*.{kind}")

    places = {}
    for path in paths:
        for names in NAMED.findall(path.read_text(encoding="utf-8")):
            for name in names.split(","):
                places.setdefault(name, path.relative_to(ROOT))
    unknown = places.keys() - parsed(SETUP)["options.extras_require"].keys()
    assert not unknown, {name: places[name] for name in unknown}
    assert {"test", "parity", "mpi", "notebooks"} <= places.keys()


def test_release_names_the_repository_that_it_is_built_in():
    before = parsed(SETUP)
    after = parsed(with_urls(SETUP, "https://github.com/somebody/npformer"))
    urls = after["metadata"].pop("project_urls")
    assert "Issues = https://github.com/somebody/npformer/issues" in urls.splitlines()
    assert after == before
