"""Measure the time from opening an exercise in a browser to its first checked answer, cold and with a filled cache.

python benchmarks/in_browser.py PYODIDE, a folder with a distribution. It needs the extras lite and browser.
"""

import argparse
import json
import shutil
import sys
import threading
import time
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from npformer_course import course
from npformer_course.files import student_notebook
from npformer_course.in_browser.site import RUN, write_site

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))
from course_pages import READY, RUN_CODE, Quiet

ANSWER = (
    course.load("softmax").key
    + '\n\nimport numpy as np\nfrom npformer_course import q\nq("softmax").check()'
)


def first_answer(address, profile):
    """Return the seconds that a browser takes which keeps its cache in a folder."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch_persistent_context(
            profile, executable_path=shutil.which("chromium")
        )
        browser.set_default_timeout(600_000)
        [page], start = browser.pages, time.perf_counter()
        page.goto(f"{address}/{RUN}03_softmax.ipynb")
        page.wait_for_function(READY)
        [*_, output] = page.evaluate(RUN_CODE, ANSWER)
        seconds = time.perf_counter() - start
        assert "9 of 9" in "".join(output["data"]["text/plain"]), output
        browser.close()
    return seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pyodide", type=Path)
    with TemporaryDirectory() as folder:
        site, settings = Path(folder, "site"), Path(folder, "site/jupyter-lite.json")
        files = {"03_softmax.ipynb": student_notebook(course.load("softmax"))}
        write_site(site, files, title="A", offline=parser.parse_args().pyodide)
        page = json.loads(settings.read_text(encoding="utf-8"))
        page["jupyter-config-data"]["exposeAppInBrowser"] = (
            True  # so that this script can reach the page's notebook
        )
        settings.write_text(json.dumps(page), encoding="utf-8")
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for cache in ("empty", "filled", "filled"):
            seconds = first_answer(
                f"http://127.0.0.1:{server.server_port}", Path(folder, "profile")
            )
            print(f"cache {cache}: {seconds:.0f} s", flush=True)
