"""Give notebooks the numbers of the course's order: python tools/order_notebooks.py.

Run it after a change of npformer_course/order.py. It renames the files of notebooks/, and writes
the numbers again in their headings, in what links to a notebook by its file, and in the text of
such a link where it is a number, as in [notebook 04](04_many_heads.ipynb).
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from npformer_course.order import labels

ROOT = Path(__file__).parents[1]
TEXTS = {".py", ".md", ".ipynb", ".js", ".cfg", ".toml"}
NUMBER = r"\d\d[a-z]?"


def main() -> None:
    """Rename the notebooks, and write their new names wherever the old ones stand."""
    numbers = labels()
    for path in sorted((ROOT / "notebooks").glob("[0-9]*_*")):
        name = path.stem.partition("_")[2]
        if name in numbers:
            path.rename(path.with_stem(f"{numbers[name]}_{name}"))

    command = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    for line in listed.stdout.splitlines():
        path = ROOT / line
        if path.suffix not in TEXTS or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        new = renumbered(text, numbers)
        if path.parent.name == "notebooks":
            name = path.stem.partition("_")[2]
            if name in numbers:
                new = re.sub(rf"(# ){NUMBER} ", rf"\g<1>{numbers[name]} ", new, count=1)
        if new != text:
            path.write_text(new, encoding="utf-8")


def renumbered(text: str, numbers: dict[str, str]) -> str:
    """Return a text with the present number before each notebook's name."""
    for name, number in numbers.items():
        text = re.sub(rf"\b{NUMBER}_{name}\b", f"{number}_{name}", text)
        link = rf"\[(notebook |Notebook |){NUMBER}\](\(\S*{number}_{name}\.ipynb)"
        text = re.sub(link, rf"[\g<1>{number}]\g<2>", text)
    return text


if __name__ == "__main__":
    main()
