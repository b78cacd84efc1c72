"""Add the addresses of the repository to setup.cfg: python tools/project_urls.py.

The workflow of a release runs it before it builds. Its environment says where the repository is.
"""

import os
from pathlib import Path

SETUP = Path(__file__).parents[1] / "setup.cfg"
BEFORE = "classifiers =\n"  # of the section [metadata]


def with_urls(text: str, repository: str) -> str:
    """Return the text of setup.cfg with the addresses of a repository."""
    urls = {
        "Source": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
    }
    lines = "".join(f"    {name} = {url}\n" for name, url in urls.items())
    before, after = text.split(BEFORE)
    return f"{before}project_urls =\n{lines}{BEFORE}{after}"


if __name__ == "__main__":
    address = f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}"
    SETUP.write_text(with_urls(SETUP.read_text(encoding="utf-8"), address), encoding="utf-8")
