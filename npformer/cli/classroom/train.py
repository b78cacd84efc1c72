"""Train a model with the layers that you have written. npformer's replace those that do not pass yet."""

import tempfile
from pathlib import Path

from ...classroom.exercise import module_of
from ...classroom.sandbox.runner import Sandbox
from ...classroom.student.folder import Folder
from ...classroom.student.student_layers import ADAPTERS, own_layers
from ...classroom.submission import code_of
from ...runs import begin
from ..options import whole_number
from .terminal import say

SIZES = {"d_model": 64, "d_ff": 128, "n_heads": 4, "n_encoder_layers": 1, "n_decoder_layers": 1}
SETTINGS = {"warmup_steps": 200, "learning_rate": 0.003, "batch_tokens": 1024, "workers": 1}
TOLD = 40  # updates between two lines


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument("--epochs", type=whole_number(1), default=10, metavar="N", help="epochs (default 10)")


def run(options) -> int:
    """Check which of the student's layers pass, and train with those."""
    folder = Folder()
    with Sandbox() as sandbox:
        passing = [id for id in ADAPTERS if id in folder.files and folder.check(id, sandbox).passed]
    say(f"Yours: {', '.join(passing) or 'none yet'}.", "right")
    if theirs := [id for id in ADAPTERS if id not in passing]:
        say(f"npformer's in place of: {', '.join(theirs)}.")
    modules = {id: module_of(code_of(folder.files[id])) for id in passing}
    with own_layers(modules), tempfile.TemporaryDirectory() as place:
        training = begin("reverse", folder=Path(place, "run"), epochs=options.epochs, **SIZES, **SETTINGS)
        for update in training.updates():
            if update.step % TOLD == 1:
                say(f"update {update.step:5}   loss {update.loss:.3f}")
        pairs = training.held_out[:8]
        found = training.predictor().translate([pair.source for pair in pairs])
    for pair, written in zip(pairs, found, strict=True):
        say(f"{pair.source}  ->  {written}", "right" if written == pair.target else "wrong")
    right = sum(written == pair.target for pair, written in zip(pairs, found, strict=True))
    say(f"{right} of {len(pairs)} sentences that it has never seen come out reversed.", "title")
    return 0
