r"""Take the pictures of the step debugger.

    npformer step phrasebook "The girl sees a small dog." --html step.html
    python tools/screenshot.py step.html
    python tools/screenshot.py step.html --colors dark --out data/pictures/step_dark.png
    python tools/screenshot.py step.html --out data/pictures/step.webp
    npformer step phrasebook "The girl sees a small dog." \
        --bug "LayerNorm's backward without the mean" --html what_if.html
    python tools/screenshot.py what_if.html --address "" --out data/pictures/what_if.png

A .webp is a loop over the stops of the tour. With an empty address a page is shown where it opens.
Needs Playwright and a Chromium: pip install -e ".[browser]".
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
LOOP_SECONDS = 12
PICTURES = Path(__file__).parents[1] / "data" / "pictures"


def take(browser, page: Path, out: Path, address: str = ADDRESS, colors: str = "light") -> None:
    """Write the picture of a page of the step debugger at an address, in light or dark colors."""
    tab = browser.new_page(viewport=SIZE, device_scale_factor=SCALE, color_scheme=colors)
    _open(tab, page, address)
    picture = _picture(tab).quantize(COLORS, dither=Image.Dither.NONE)
    picture.save(out, optimize=True)
    tab.close()


def take_loop(
    browser, page: Path, out: Path, address: str = ADDRESS, colors: str = "light"
) -> None:
    """Write an animated picture of the stops of the tour."""
    tab = browser.new_page(viewport=SIZE, color_scheme=colors)
    _open(tab, page, address)
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
    tab.goto(page.resolve().as_uri() + (f"#{address}" if address else ""))
    # the address names the line as soon as all is drawn
    tab.wait_for_function("location.hash.includes(':')")


def _picture(tab) -> Image.Image:
    return Image.open(io.BytesIO(tab.screenshot())).convert("RGB")


if __name__ == "__main__":
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description="Take a picture of the step debugger.")
    parser.add_argument(
        "page", type=Path, metavar="PAGE", help="what npformer step wrote for the phrasebook"
    )
    parser.add_argument(
        "--out", type=Path, default=PICTURES / "step.png", metavar="FILE", help=".png or .webp"
    )
    parser.add_argument("--address", default=ADDRESS, help="the place in the page")
    parser.add_argument("--colors", default="light", choices=("light", "dark"))
    given = parser.parse_args()
    write = take_loop if given.out.suffix == ".webp" else take
    with sync_playwright() as driver:
        installed = shutil.which("chromium")  # otherwise Playwright's own
        chromium = driver.chromium.launch(executable_path=installed)
        write(chromium, given.page, given.out, given.address, given.colors)
