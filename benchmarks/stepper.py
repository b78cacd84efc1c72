"""Measure the step debugger: size and time of a recording, and in a headless Chromium first paint and time per step.

python benchmarks/stepper.py runs/phrasebook
"""

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import npformer as npf
from npformer.decoding.greedy import greedy_decode
from npformer.tasks import Objective, TranslationBatch
from npformer.utils import threads_for

N_PAGES = 5  # opened, because in one that has been seen once a step is faster
NOTE_PAINT = """new MutationObserver((_, observer) => {
  if (!document.querySelector(".app")) return;
  observer.disconnect();
  requestAnimationFrame(() => { setTimeout(() => { window.painted = performance.now(); }); });
}).observe(document, { childList: true, subtree: true });"""
TIME_STEPS = """() => {
  const slider = document.querySelector("input[type=range]");
  return Array.from({ length: Number(slider.max) + 1 }, (_, step) => {
    const start = performance.now();
    slider.value = step;
    slider.dispatchEvent(new Event("input"));
    document.body.getBoundingClientRect(); // with the layout
    return performance.now() - start;
  });
}"""


def best(n, function):
    """Return the shortest time of n calls, in seconds, and the last result."""
    times = []
    for _ in range(n):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run")
    parser.add_argument("sentence", nargs="?", default="The girl sees a small dog.")
    options = parser.parse_args()
    translator = npf.load(options.run)
    source = translator.encode(options.sentence)
    [target] = greedy_decode(translator.model, np.array([source]))
    batch = TranslationBatch.of([source[:-1]], [target])
    objective = Objective(translator.model).train()

    def update():
        objective.zero_grad()
        objective.forward(batch)
        objective.backward()

    with threads_for(translator.model.config.d_model):
        plain, _ = best(20, update)
        seconds, recording = best(
            5, lambda: npf.step_through(objective, batch, vocabularies=translator.vocabularies)
        )
    writing, page = best(2, recording.html)
    n_arrays, n_steps = len(recording.recorder.arrays.blocks), len(recording.steps)
    print(
        f"update {1e3 * plain:.1f} ms, recorded {seconds:.2f} s: {n_steps:,} steps, {n_arrays:,} different arrays"
    )
    print(f"page {len(page) / 1e6:.2f} MB, written in {writing:.1f} s")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "step.html"
        path.write_text(page)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium") or driver.chromium.executable_path
        )
        painted, times = [], []
        for _ in range(N_PAGES):
            tab = browser.new_page(viewport={"width": 1280, "height": 820})
            tab.add_init_script(NOTE_PAINT)
            tab.goto(path.as_uri())
            painted.append(tab.wait_for_function("window.painted").json_value())
            times.append(tab.evaluate(TIME_STEPS))
        browser.close()
    times = [statistics.median(step) for step in zip(*times, strict=True)]
    mean, worst = statistics.mean(times), statistics.quantiles(times, n=100)[98]
    print(
        f"first paint {statistics.median(painted):.0f} ms (limit 1000 ms); medians of {N_PAGES} pages"
    )
    print(
        f"a step {mean:.1f} ms, 99% below {worst:.1f} ms, the slowest {max(times):.1f} ms (limit 50 ms)"
    )


if __name__ == "__main__":
    main()
