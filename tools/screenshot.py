"""Take the pictures of the step debugger: python tools/screenshot.py step.html.

The page is what `npformer step runs/phrasebook "The girl sees a small dog." --html step.html`
writes. The pictures are step.png and step_dark.png, and step.webp, a loop over the stops of the
tour; they are written into data/pictures, or --out. Needs Playwright and a Chromium: pip install
-e ".[browser]".
"""

from __future__ import annotations

import argparse
import io
import shutil
from pathlib import Path

from PIL import Image

ADDRESS = "decoder.layers.1.feed_forward.norm dxhat"
SIZE = {"width": 1200, "height": 680}
SCALE = 1.5  # pixels of the picture per pixel of the page
COLORS = 128
LOOP_SECONDS = 8
PICTURES = Path(__file__).parents[1] / "data" / "pictures"


def take(browser, page: Path, out: Path, address: str = ADDRESS, colors: str = "light") -> None:
    """Write the picture of a page of the step debugger at an address, in light or dark colors."""
    tab = browser.new_page(viewport=SIZE, device_scale_factor=SCALE, color_scheme=colors)
    _open(tab, page, address)
    picture = _picture(tab).quantize(COLORS, dither=Image.Dither.NONE)
    picture.save(out, optimize=True)
    tab.close()


def take_loop(browser, page: Path, out: Path) -> None:
    """Write an animated picture of the stops of the tour."""
    tab = browser.new_page(viewport=SIZE, color_scheme="light")
    _open(tab, page, ADDRESS)
    pictures = []
    for _ in range(tab.locator(".chapters button").count()):
        tab.keyboard.press(" ")
        pictures.append(_picture(tab))
    tab.close()

    first, *others = pictures
    each = LOOP_SECONDS * 1000 // len(pictures)  # milliseconds
    first.save(out, save_all=True, append_images=others, duration=each, loop=0, quality=80)


def _open(tab, page: Path, address: str) -> None:
    """Open a page at an address."""
    tab.goto(f"{page.resolve().as_uri()}#{address}")
    # the address names the line as soon as all is drawn
    tab.wait_for_function("location.hash.includes(':')")


def _picture(tab) -> Image.Image:
    return Image.open(io.BytesIO(tab.screenshot())).convert("RGB")


if __name__ == "__main__":
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description="Take the pictures of the step debugger.")
    parser.add_argument(
        "page", type=Path, metavar="PAGE", help="what npformer step wrote for the phrasebook"
    )
    parser.add_argument(
        "--out", type=Path, default=PICTURES, metavar="DIR", help="a folder that exists"
    )
    given = parser.parse_args()
    with sync_playwright() as driver:
        installed = shutil.which("chromium")  # otherwise Playwright's own
        chromium = driver.chromium.launch(executable_path=installed)
        take(chromium, given.page, given.out / "step.png")
        take(chromium, given.page, given.out / "step_dark.png", colors="dark")
        take_loop(chromium, given.page, given.out / "step.webp")
