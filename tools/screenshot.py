"""Take the README's picture of the step debugger: python tools/screenshot.py step.html.

The page is what `npformer step runs/phrasebook "The girl sees a small dog." --html step.html`
writes. The picture is data/pictures/step.png, or --out. Needs Playwright and a Chromium: pip
install -e ".[browser]".
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
PICTURES = Path(__file__).parents[1] / "data" / "pictures"


def take(browser, page: Path, out: Path, address: str = ADDRESS) -> None:
    """Write the picture of a page of the step debugger at an address, in light colors."""
    tab = browser.new_page(viewport=SIZE, device_scale_factor=SCALE, color_scheme="light")
    tab.goto(f"{page.resolve().as_uri()}#{address}")
    tab.wait_for_function(
        "location.hash.includes(':')"
    )  # it names the line as soon as all is drawn
    image = Image.open(io.BytesIO(tab.screenshot())).convert("RGB")
    image.quantize(COLORS, dither=Image.Dither.NONE).save(out, optimize=True)


if __name__ == "__main__":
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description="Take the README's picture of the step debugger.")
    parser.add_argument(
        "page", type=Path, metavar="PAGE", help="what npformer step wrote for the phrasebook"
    )
    parser.add_argument(
        "--out", type=Path, default=PICTURES / "step.png", metavar="FILE", help="the picture"
    )
    given = parser.parse_args()
    with sync_playwright() as driver:
        installed = shutil.which("chromium")  # otherwise Playwright's own
        take(driver.chromium.launch(executable_path=installed), given.page, given.out)
