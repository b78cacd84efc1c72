"""The index of the search page, which Pagefind makes of the finished pages."""

import subprocess
import sys

from sphinx.errors import ExtensionError

PAGES = "{*,[!_]*/**/*}.html"  # all but _modules/, the pages of source
NO_TEXT = ".headerlink, .viewcode-link, .page-buttons, summary[aria-label]"


def setup(app):
    """Connect with Sphinx."""
    app.connect("builder-inited", leave_out_own_index)
    app.connect("build-finished", write_index, priority=900)  # of the pages as they stay
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def leave_out_own_index(app):
    """Let Sphinx write neither its own index nor its search page."""
    app.builder.search = False


def write_index(app, exception):
    """Write the folder pagefind/ of the site."""
    command = [sys.executable, "-m", "pagefind", "--site", app.outdir, "--glob", PAGES]
    command += ["--root-selector", "article", "--exclude-selectors", NO_TEXT, "--keep-index-url"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ExtensionError(f"Pagefind: {done.stderr.strip() or done.stdout.strip()}")
