"""`npformer train`: train a model, and leave a run folder behind."""

from __future__ import annotations

import shlex
import sys
from contextlib import suppress

from .. import runs
from ..base.errors import InputError
from ..runs.run import Run
from ..runs.settings import CHANGEABLE
from .interrupt import ctrl_c_noted
from .progress import describe, progress_bar
from .threads import blas_threads

INTERRUPTED = 130
SHOWN = 10  # held-out translations printed at the end; the longest of them is drawn


def flag(name: str) -> str:
    """Return the option of a setting."""
    return "--" + name.replace("_", "-")


def train(given: dict) -> int:
    """Train as the command line asks; return the exit status."""
    given = {name: value for name, value in given.items() if value is not None}
    resume = given.pop("resume", None)
    if resume is not None:
        if other := given.keys() - set(CHANGEABLE):
            may, names = (", ".join(flag(name) for name in names) for names in (CHANGEABLE, sorted(other)))
            raise InputError(
                f"--resume takes all settings from the run: only {may} may be given beside it, not {names}"
            )
        run = runs.resume(resume, **given)
    else:
        run = runs.begin(given.pop("dataset", None), folder=given.pop("run", None), **given)
    for warning in run.warnings:
        print(f"npformer: {warning}", file=sys.stderr)
    print(describe(run), flush=True)
    with blas_threads(run.config):
        if trained(run):
            with suppress(KeyboardInterrupt):
                finish(run)
                return 0
    options = [text for name in CHANGEABLE if resume and name in given for text in (flag(name), str(given[name]))]
    print(f"\nstopped and saved after update {run.trainer.optimizer.steps}; go on with")
    print(f"  {shlex.join(['npformer', 'train', '--resume', str(run.folder.path), *options])}")
    return INTERRUPTED


def trained(run: Run) -> bool:
    """Train to the end; return False when Ctrl-C came between, after a save."""
    with progress_bar(run.trainer, run.settings.epochs) as bar, ctrl_c_noted() as interrupted:
        for record in run.updates():
            speed = f"{record.tokens_per_second:,.0f} tokens/s"
            bar.set_description(f"epoch {record.epoch}", refresh=False)
            bar.set_postfix_str(f"loss {record.loss:.3f}, lr {record.learning_rate:.1e}, {speed}", refresh=False)
            bar.update()
            if record.ends_epoch:
                loss = run.log.training_loss(record.epoch)
                line = f"epoch {record.epoch:3d}   loss {loss:.3f}   held-out loss {record.held_out_loss:.3f}"
                with bar.external_write_mode():
                    print(f"{line}   {speed}   {record.seconds:.0f} s", flush=True)
            if interrupted():
                run.save()
                return False
    return True


def finish(run: Run) -> None:
    """Draw the pictures, translate the held-out pairs and say how good that is."""
    run.draw()
    evaluation = run.evaluate()
    print(f"\nheld-out translations (* differs from the reference)\n\n{evaluation.examples(SHOWN)}\n")
    print(f"{evaluation.table()}\n")
    print(f"translate with  {shlex.join(['npformer', 'translate', str(run.folder.path), run.example()])}")
