"""Time the playground in a headless Chromium: python tools/time_playground.py SITE.

SITE is what `python tools/playground.py SITE --offline FOLDER` wrote. For each part it prints the
seconds, and those of the processor in all processes of the browser, which depend less on what else
the machine does.
"""

from __future__ import annotations

import argparse
import os
import shutil
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PATIENCE = 600_000  # milliseconds
NEW_LINE = "return rstd * dxhat"


class Quiet(SimpleHTTPRequestHandler):
    """A server that writes nothing."""

    def log_message(self, *arguments):
        """Write nothing."""


class Clock:
    """Seconds, and seconds of the processor, since the last print."""

    def __init__(self, browser):
        self.session = browser.new_browser_cdp_session()
        self.last = self._now()

    def _now(self):
        found = self.session.send("SystemInfo.getProcessInfo")["processInfo"]
        return time.perf_counter(), sum(process["cpuTime"] for process in found)

    def tell(self, what):
        """Print what was done."""
        now = self._now()
        seconds, of_processor = (b - a for a, b in zip(self.last, now, strict=True))
        load = os.getloadavg()[0]
        print(f"{what}: {seconds:.1f} s, processor {of_processor:.1f} s, load {load:.1f}")
        self.last = now


def measure(browser, address):
    """Print the times of a visit."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(PATIENCE)
    clock = Clock(browser)

    def wait_for(text):
        page.wait_for_function(
            "text => document.getElementById('status').innerText.includes(text)", arg=text
        )

    def run_both(text):
        if page.locator("#lines input").count() == 0:
            page.click('[data-line="60"] button')
        page.fill("#lines input", text)
        page.evaluate("document.getElementById('compared').textContent = ''")
        page.keyboard.press("Enter")
        page.wait_for_function("document.getElementById('compared').textContent")

    page.goto(address)
    page.wait_for_selector("html.live")
    clock.tell("the page without Python")
    page.click("#sentence-form button")
    wait_for("Translating")
    clock.tell("Python, NumPy and npformer loaded")
    wait_for("Recording")
    clock.tell("translation and attention")
    wait_for("Done.")
    clock.tell("step of the sentence")
    run_both(NEW_LINE)
    clock.tell("first edit to both steps")
    wait_for("Comparing the gradient")
    clock.tell("200 updates of both curves")
    wait_for("Done.")
    clock.tell("gradient check")
    run_both(f"{NEW_LINE} * 1.5")
    clock.tell("second edit to both steps")
    wait_for("Comparing the gradient")
    clock.tell("200 updates with the second edit")


def main():
    """Serve the folder, and measure a visit."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="the folder")
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=options.site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as driver:
        installed = shutil.which("chromium")  # otherwise Playwright's own
        browser = driver.chromium.launch(executable_path=installed)
        measure(browser, f"http://127.0.0.1:{server.server_port}/playground.html")
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    main()
