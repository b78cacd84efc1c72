"""The verbs of a student's own model: translate and train."""

import math
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from npformer import runs
from npformer.cli.argument_parser import number, utf8_text
from npformer.runs.training_run import Run
from npformer.utils.threads_and_memory import keep_freed_memory

from ..student.folder import Folder
from ..student.model_comparison import SENTENCE, compare, searches
from ..student.own_parts import lines_about_parts, passing_parts
from ..student.student_layers import TRAINED, TRANSLATING, own_layers
from ..words import counted
from .terminal import say, show

RUN = "runs/your-phrasebook"  # the run folder of the translator
SAVE_EVERY = 100  # updates
BAR = 40  # columns, for the loss of the first update
SETTINGS: dict[str, Any] = {  # of a model that learns to reverse digits in a minute or two
    "d_model": 64,
    "d_ff": 128,
    "n_heads": 4,
    "n_encoder_layers": 1,
    "n_decoder_layers": 1,
    "warmup_steps": 200,
    "learning_rate": 0.003,
    "batch_tokens": 1024,
    "workers": 1,
    "epochs": 10,
}


def add_verbs(parser) -> None:
    """Add the verbs with their options."""
    add = parser.add_verb("translate", translate).add_argument
    sentence = f"an English sentence (default: {SENTENCE})"
    add("sentence", nargs="?", type=utf8_text, default=SENTENCE, metavar="TEXT", help=sentence)

    add = parser.add_verb("train", train).add_argument
    what = "reverse (digits; the default) or phrasebook (the translator)"
    add("dataset", nargs="?", choices=("reverse", "phrasebook"), default="reverse", help=what)
    epochs = "epochs (default 10 for reverse, 8 for phrasebook)"
    add("--epochs", type=number(least=1), metavar="N", help=epochs)


def translate(options) -> int:
    """Translate with your functions in the shipped translator, and compare it with npformer's."""
    comparison = compare(passing_parts(Folder(), TRANSLATING), options.sentence)
    show(comparison.lines())
    return 0 if comparison.is_equal else 1


def train(options) -> int:
    """Train a model with your functions. npformer's replace the others."""
    parts = passing_parts(Folder(), TRAINED)
    show(lines_about_parts(parts, TRAINED))
    settings = {"epochs": options.epochs} if options.epochs else {}
    keep_freed_memory()
    with own_layers(parts), np.errstate(all="ignore"):
        if options.dataset == "phrasebook":
            _train_to_translate(parts, settings)
        else:
            _train_to_reverse(settings)
    return 0


def _train_to_reverse(settings: dict) -> None:
    """Train a small model to reverse digits, and show it with some that it has not seen."""
    with TemporaryDirectory() as place:
        run = runs.begin("reverse", folder=Path(place, "run"), **SETTINGS | settings)
        _show_training(run, every=40)
        pairs = run.held_out[:8]
        translator: Any = run.predictor()
        translations = translator.translate([pair.source for pair in pairs], beam=1)

    n_correct = 0
    for pair, translation in zip(pairs, translations, strict=True):
        style = "wrong"
        if translation == pair.target:
            style = "right"
            n_correct += 1
        say(f"{pair.source}  ->  {translation}", style)
    say(f"{n_correct} of {len(pairs)} sentences that it has never seen come out reversed.", "title")


def _train_to_translate(parts: dict, settings: dict) -> None:
    """Train the translator in a run folder, from where it was left, and translate a sentence."""
    if Path(RUN, "config.json").exists():
        run = runs.resume(RUN, **settings)
        say(f"{RUN} continues after {run.trainer.optimizer.steps} updates.")
    else:
        run = runs.begin("phrasebook", folder=RUN, save_every=SAVE_EVERY, **settings)
        say(f"{RUN} is a run folder: after Ctrl-C the same command continues.")
    _show_training(run, every=100)

    translator: Any = run.predictor()
    say(SENTENCE, "title")
    for search, beam in searches(list(parts)):
        [text] = translator.translate(SENTENCE, beam=beam)
        say(f"{search}: {text}")
    say(f'More sentences: npformer translate {RUN} "The dog sleeps."')


def _show_training(run: Run, *, every: int) -> None:
    """Train, and show the loss every so many updates."""
    floor, held_out_floor = floors(run.settings.label_smoothing, run.config.tgt_vocab_size)
    say(f"{run.model.n_parameters:,} parameters, {counted(run.settings.epochs, 'epoch')}.")
    say(
        "Floor: the loss of a model that gives each label the probability to which it is smoothed. "
        "The held-out loss is without smoothing."
    )
    losses = []
    start = time.perf_counter()
    for update in run.updates():
        losses.append(update.loss)
        if update.step % every == 1:
            bar = "█" * round(BAR * (update.loss - floor) / (losses[0] - floor))
            say(f"update {update.step:5}   loss {update.loss:.3f} (floor {floor:.3f}) {bar}")
        if update.ends_epoch:
            held_out = f"{update.held_out_loss:.3f} (floor {held_out_floor:.3f})"
            say(f"epoch {update.epoch} ends: held-out loss {held_out}")
    seconds = time.perf_counter() - start
    if losses:
        say(f"{len(losses)} updates in {seconds:.0f} s, {seconds / len(losses):.3f} s each.")


def floors(eps: float, vocab_size: int) -> tuple[float, float]:
    """Return the losses, with smoothing and without, of a model that gives the smoothed labels.

    The first is their entropy, and no model has a lower loss. A model could be more certain than
    they are, and have a lower loss without smoothing, but it is not trained to.

    >>> with_smoothing, without = floors(0.1, 14)
    >>> round(with_smoothing, 3), round(without, 3)
    (0.547, 0.097)
    """
    other = eps / vocab_size
    right = 1 - eps + other
    entropy = -right * math.log(right)
    if other:
        entropy -= (vocab_size - 1) * other * math.log(other)
    return entropy, -math.log(right)
