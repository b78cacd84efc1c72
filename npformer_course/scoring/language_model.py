"""The score of a student's language model: the loss on held-out text after a limited training.

The model is in a process of its own, which gets each held-out character only after the model has
predicted it. This stops accidents and shortcuts, not attackers: the process has the rights of the
user.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer

import numpy as np

from npformer.utils.errors import InputError, one_line
from npformer.utils.files import read_text

from ..sandbox.protocol import pack_request, unpack_request
from ..sandbox.runner import SIGKILL, start_process
from .score_table import Score
from .worker import GRACE_SECONDS

FILE = "language_model.py"  # what a student hands in
SECONDS = 60.0  # of processor time for training
PREDICTING_SECONDS = 120.0  # at least, of processor time for predicting
LARGEST = 20_000  # bytes of a student's file: no trained parameters fit into it
PIECES = 32  # of the held-out text, at most; they are predicted side by side
PIECE = 500  # characters of a piece, at least, where there are several
WAIT = 5  # times the processor time: a busy machine, or a model that sleeps
CLOSE = 1e-4  # to 1 that the sum of probabilities has to be
SIGXCPU = getattr(signal, "SIGXCPU", 24)  # Windows has no such name
WORKER = "npformer_course.scoring.worker"
COLUMNS = {"nats per character": ".3f", "training seconds": ".1f"}


class _Refused(Exception):
    """A student's model cannot be scored; the text says why."""


def score_language_model(
    student: str, path: Path, text: str, held_out: str, seconds: float = SECONDS
) -> Score:
    """Train a student's model and return its loss on the held-out text.

    The numbers of the score are nats per character and the processor time of the training.

    Arguments:
        student: whose it is
        path: the student's file
        text: what the model learns from
        held_out: what it is judged on; `check_texts` must have accepted both
        seconds: processor time for loading the file and training
    """
    try:
        content = _read(path)
        with TemporaryDirectory(prefix="answer", ignore_cleanup_errors=True) as folder:
            return Score(student, _loss_and_time(content, text, held_out, seconds, folder))
    except _Refused as refused:
        return Score(student, problem=one_line(str(refused)))


def check_texts(text: str, held_out: str) -> None:
    """Raise `InputError` where a loss of held-out text would mean nothing."""
    if len(held_out) < 2 or len(text) < 2:
        raise InputError("a text has fewer than two characters: there is nothing to predict")
    unknown = sorted(set(held_out) - set(text))
    if unknown:
        raise InputError(
            f"the held-out text has characters that the text to learn from lacks: {unknown}. "
            "Take them out, or divide the text in another way"
        )


def reference_losses(text: str, held_out: str) -> dict[str, float]:
    """Return the held-out loss of a model that knows nothing, and of counts of characters.

    >>> losses = reference_losses("aab", "ab")
    >>> {name: round(loss, 3) for name, loss in losses.items()}
    {'knows nothing': 0.693, 'counts of characters': 0.752}
    """
    counts = Counter(text)
    losses = [-np.log(counts[character] / len(text)) for character in held_out]
    return {
        "knows nothing": float(np.log(len(counts))),
        "counts of characters": float(np.mean(losses)),
    }


def _read(path: Path) -> str:
    """Return a student's file."""
    try:
        if path.stat().st_size > LARGEST:
            raise _Refused(f"{path.name} is larger than {LARGEST:,} bytes")
        return read_text(path)
    except (InputError, OSError) as error:
        raise _Refused(str(error).replace(str(path), path.name)) from None


def _loss_and_time(
    content: str, text: str, held_out: str, seconds: float, folder: str
) -> tuple[float, float]:
    """Train and predict in a new process; return the loss and the time of the training."""
    predicting_seconds = max(PREDICTING_SECONDS, seconds)
    process = start_process(WORKER)
    timer = Timer(WAIT * (seconds + predicting_seconds), process.kill)
    try:
        timer.start()
        reply = _ask(process, folder, content, text, seconds, predicting_seconds)
        took = float(reply)
        if not took <= seconds + GRACE_SECONDS:  # a NaN too
            raise _Refused(_too_long(took, seconds))
        return _held_out_loss(process, sorted(set(text)), held_out), took
    except _Ended:
        raise _Refused(_end_of(process, seconds, predicting_seconds)) from None
    finally:
        timer.cancel()
        process.kill()
        # what the student's code has started ends with it; Windows has no groups of processes
        with suppress(OSError, AttributeError):
            os.killpg(process.pid, SIGKILL)
        process.communicate()


class _Ended(Exception):
    """The process of a student's model ended before it answered."""


def _ask(process: subprocess.Popen[str], *request: object):
    """Send a line to the process and return its answer."""
    assert process.stdin is not None and process.stdout is not None
    try:
        print(pack_request(*request).decode(), file=process.stdin, flush=True)
        line = process.stdout.readline()
    except (BrokenPipeError, UnicodeDecodeError):
        raise _Ended from None
    if not line:
        raise _Ended
    # a student's code could write there itself
    try:
        kind, answer = unpack_request(line.encode())
    except (ValueError, TypeError, KeyError):
        raise _Refused("what its process sent cannot be read") from None
    if kind == "refused":
        raise _Refused(str(answer))
    return answer


def _held_out_loss(process: subprocess.Popen[str], characters: list[str], held_out: str) -> float:
    """Return the mean loss of every character of the pieces but the first of each."""
    ids = {character: i for i, character in enumerate(characters)}
    n_pieces = min(PIECES, max(1, len(held_out) // PIECE))
    length = len(held_out) // n_pieces
    pieces = [held_out[i * length : (i + 1) * length] for i in range(n_pieces)]

    total = 0.0
    for t in range(1, length):
        p = _ask(process, [piece[t - 1] for piece in pieces])
        _check_probabilities(p, (n_pieces, len(characters)))
        p = p / p.sum(1, keepdims=True)
        right = p[np.arange(n_pieces), [ids[piece[t]] for piece in pieces]]
        if not right.all():
            raise _Refused(
                "it gave the probability 0 to a character that came: its loss is infinite"
            )
        total -= np.log(right).sum()
    return float(total / (n_pieces * (length - 1)))


def _check_probabilities(p: np.ndarray, shape: tuple[int, int]) -> None:
    """Refuse what is not an array of probabilities."""
    if not isinstance(p, np.ndarray) or p.shape != shape:
        got = getattr(p, "shape", "nothing")
        raise _Refused(f"predict returned shape {got}: expected (beginnings, characters) = {shape}")
    if p.dtype != np.float64 or not np.isfinite(p).all():
        raise _Refused("predict returned numbers that are not finite")
    if p.min() < 0:
        raise _Refused(f"predict returned the probability {p.min():.3g}, below 0")
    sums = p.sum(1)
    worst = sums[np.abs(sums - 1).argmax()]
    if abs(worst - 1) > CLOSE:
        raise _Refused(f"probabilities of one beginning add up to {worst:.6g}, expected 1")


def _end_of(process: subprocess.Popen[str], seconds: float, predicting_seconds: float) -> str:
    """Return why a process ended."""
    process.communicate()
    if process.returncode == -SIGXCPU:
        return f"it took more than {seconds:g} s to train, or {predicting_seconds:g} s to predict"
    if process.returncode == -SIGKILL:
        longest = WAIT * (seconds + predicting_seconds)
        return (
            f"its process was killed: it ran for more than {longest:g} s, "
            "took too much memory, or ended itself"
        )
    return "its process ended: too much memory, or a crash"


def _too_long(took: float, seconds: float) -> str:
    return f"training took {took:.1f} s of processor time, {seconds:g} are allowed"
