"""The script that draws the pictures of docs still does, and those in data/ are small."""

import runpy
from pathlib import Path

from npformer import TransformerConfig

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "data" / "pictures"


def test_the_script_draws_every_picture_but_those_of_the_training_and_the_step_debugger(
    trained_run, tmp_path, monkeypatch
):
    # the weights of the base model take seconds to draw
    small = TransformerConfig(src_vocab_size=9, tgt_vocab_size=9)
    monkeypatch.setattr(TransformerConfig, "base", lambda **sizes: small)
    draw = runpy.run_path(str(ROOT / "tools" / "draw.py"))["draw"]
    draw(str(trained_run), tmp_path, "the dog sleeps .")
    names = {path.name for path in FOLDER.glob("*.*")}
    assert {path.name for path in tmp_path.iterdir()} == names - {
        "curve.png",
        "step.png",
        "step_dark.png",
        "step.webp",
        "what_if.png",
    }
    sizes = {name: (FOLDER / name).stat().st_size for name in names}
    assert sizes.pop("step.webp") < 2_000_000
    assert max(sizes.values()) < 150_000
