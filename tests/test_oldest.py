"""The oldest versions of libraries that setup.cfg takes are those that oldest.txt has tests run with."""

import re
from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRIED = ROOT / "tests" / "oldest.txt"


def test_the_oldest_versions_are_those_that_are_tried():
    setup = ConfigParser(interpolation=None)
    setup.read(ROOT / "setup.cfg")
    extras = setup["options.extras_require"]
    wanted = "\n".join(
        [setup["options"]["install_requires"], *(extras[name] for name in ("subwords", "moses", "data", "test"))]
    )
    oldest = dict(re.findall(r"^([\w-]+)>=([\d.]+)$", wanted, re.MULTILINE))
    tried = dict(re.findall(r"^([\w-]+)==([\d.]+)$", TRIED.read_text(), re.MULTILINE))
    assert oldest.keys() == tried.keys() and len(oldest) > 10
    for name, version in oldest.items():
        assert tried[name] == version or re.fullmatch(rf"{re.escape(version)}(\.0)+", tried[name]), name
