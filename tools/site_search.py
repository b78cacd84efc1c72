"""What the search page reads: an index, which Pagefind makes of the finished pages, and a list of
the classes and functions of the API.
"""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from sphinx.errors import ExtensionError

PAGES = "{*,[!_]*/**/*}.html"  # all but _modules/, the pages of source
NO_TEXT = ".headerlink, .viewcode-link, .page-buttons, summary[aria-label]"


def setup(app):
    """Connect with Sphinx."""
    app.connect("builder-inited", leave_out_own_index)
    app.connect("build-finished", write_names)
    app.connect("build-finished", write_index, priority=900)  # of the pages as they stay
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def leave_out_own_index(app):
    """Let Sphinx write neither its own index nor its search page."""
    app.builder.search = False


def write_names(app, exception):
    """Write _static/api_names.json: each class and function with its address and what it is."""
    entries = []
    for name, _, kind, docname, anchor, priority in sorted(app.env.domains["py"].get_objects()):
        is_alias = priority < 0  # the name with the module in which it is defined
        if is_alias or kind not in ("class", "exception", "function"):
            continue
        package, _, key = name.rpartition(".")
        if package == "npformer.slow_formulas":  # they have the names of the layers
            continue
        doc = getattr(import_module(package), key).__doc__ or ""
        first = " ".join(doc.partition("\n\n")[0].split())
        shown = f"{name}()" if kind == "function" else name
        address = app.builder.get_target_uri(docname) + f"#{anchor}"
        entries.append({"key": key, "name": shown, "address": address, "text": first})
    path = Path(app.outdir, "_static", "api_names.json")
    path.write_text(json.dumps(entries), encoding="utf-8")


def write_index(app, exception):
    """Write the folder pagefind/ of the site."""
    command = [sys.executable, "-m", "pagefind", "--site", app.outdir, "--glob", PAGES]
    command += ["--root-selector", "article", "--exclude-selectors", NO_TEXT, "--keep-index-url"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ExtensionError(f"Pagefind: {done.stderr.strip() or done.stdout.strip()}")
