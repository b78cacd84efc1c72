"""The verbs of a student's own model: translate, train and write."""

import math
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from npformer import load, runs
from npformer.cli.argument_parser import number, utf8_text
from npformer.cli.predict import report_unknown
from npformer.runs.training_run import Run
from npformer.utils.errors import InputError
from npformer.utils.threads_and_memory import keep_freed_memory

from ..format_report import Line
from ..student.folder import Folder
from ..student.model_comparison import SENTENCE, compare, searches
from ..student.own_errors import own_error
from ..student.own_parts import lines_about_parts, passing_parts
from ..student.rotary_model import use_rotary_positions
from ..student.student_layers import ROTARY, TRAINED, TRANSLATING, WRITING, own_layers
from ..words import counted
from .terminal import say, show

RUN = "runs/your-phrasebook"  # the run folder of the translator
SAVE_EVERY = 100  # updates
BAR = 40  # columns, for the loss of the first update
TEXT = "The "
N_CHARACTERS = 200  # that are written
# the sinusoids, and a cache whose scores know no rotation
WITHOUT_ROTARY = {"positions", "kv_cache"}
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
    rotary = "reverse with rotary positions in place of sinusoids"
    add("--rotary", action="store_true", help=rotary)

    add = parser.add_verb("write", write).add_argument
    text = f"what the text begins with (default: {TEXT!r})"
    add("text", nargs="?", type=utf8_text, default=TEXT, metavar="TEXT", help=text)
    temperature = "below 1 favors probable characters, above 1 others (default 1)"
    add("--temperature", type=number(float, above=0), default=1.0, metavar="T", help=temperature)
    top_p = "draw from the fewest characters whose probabilities sum to P (default 0.9)"
    add("--top-p", type=number(float, above=0, most=1), default=0.9, metavar="P", help=top_p)
    seed = "the same seed draws the same text"
    add("--seed", type=number(least=0), metavar="N", help=seed)


def translate(options) -> int:
    """Translate with your functions in the shipped translator, and compare it with npformer's."""
    report_unknown(load("phrasebook"), options.sentence)
    comparison = compare(passing_parts(Folder(), TRANSLATING), options.sentence)
    show(comparison.lines())
    return 0 if comparison.is_equal else 1


def train(options) -> int:
    """Train a model with your functions. npformer's replace the others."""
    among = TRAINED
    if options.rotary:
        if options.dataset != "reverse":
            raise InputError(f"--rotary with {options.dataset}: it trains reverse only")
        among = (TRAINED | {ROTARY}) - WITHOUT_ROTARY
    parts = passing_parts(Folder(), among)
    show(lines_about_parts(parts, among))
    settings = {"epochs": options.epochs} if options.epochs else {}
    keep_freed_memory()
    with own_layers(parts), np.errstate(all="ignore"):
        try:
            if options.dataset == "phrasebook":
                _train_to_translate(parts, settings)
            else:
                _train_to_reverse(settings, has_rotary=options.rotary)
        except Exception as raised:
            return _show_own_error(raised)
    return 0


def write(options) -> int:
    """Continue a text with the language model that ships, drawn by your top_p."""
    parts = passing_parts(Folder(), WRITING)
    show(lines_about_parts(parts, WRITING))
    writer: Any = load("english_letters")
    report_unknown(writer, options.text)
    with own_layers(parts), np.errstate(all="ignore"):
        try:
            written = writer.generate(
                options.text,
                N_CHARACTERS,
                temperature=options.temperature,
                top_p=options.top_p,
                rng=options.seed,
            )
        except Exception as raised:
            return _show_own_error(raised)
    for line in f"{options.text}{written}".split("\n"):
        say(line)
    return 0


def _show_own_error(raised: Exception) -> int:
    """Show what a learner's function raised, as a check does; return the exit status.

    What none of their functions raised is raised again.
    """
    error = own_error(raised)
    if error is None:
        raise raised
    show([Line("error", 0, error.text), Line("question", 1, error.question)])
    return 1


def _train_to_reverse(settings: dict, *, has_rotary: bool) -> None:
    """Train a small model to reverse digits, and show it with some that it has not seen."""
    with TemporaryDirectory() as place:
        run = runs.begin("reverse", folder=Path(place, "run"), **SETTINGS | settings)
        if has_rotary:
            use_rotary_positions(run.model)
        _show_training(run, every=40)
        translator: Any = run.predictor()
        if has_rotary:
            use_rotary_positions(translator.model)

    pairs = run.held_out[:8]
    translations = translator.translate([pair.source for pair in pairs], beam=1)
    n_correct = 0
    for pair, translation in zip(pairs, translations, strict=True):
        style = "wrong"
        if translation == pair.target:
            style = "right"
            n_correct += 1
        say(f"{pair.source}  ->  {translation}", style)
    say(f"{n_correct} of {len(pairs)} sentences that it has never seen come out reversed.", "title")

    longer = [" ".join(row) for row in _rows_of_digits(50, 12)]
    n_correct = 0
    for row, translation in zip(longer, translator.translate(longer, beam=1), strict=True):
        n_correct += translation == row[::-1]
    say(f"Of {len(longer)} rows of twelve digits, longer than any in training: {n_correct}.")


def _rows_of_digits(n_rows: int, length: int) -> np.ndarray:
    return np.random.default_rng(0).choice(list("0123456789"), (n_rows, length))


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
