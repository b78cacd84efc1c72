"""Many runs in processes of their own, `jobs` at a time."""

import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from ...evaluation import perplexity
from ...runs.api import begin, resume
from ...runs.folder import RunFolder
from ...utils import InputError, write_json
from ...utils.blas import limit_blas_threads
from ...utils.malloc import keep_freed_memory
from .plan import PlannedRun, check_same


def train_all(runs: Sequence[PlannedRun], *, jobs: int = 1) -> Iterator[tuple[PlannedRun, str | None]]:
    """Train all runs that have no result yet, each on one thread; yield each as it ends, with its error or None.

    A run that was stopped continues from its checkpoint. A run that fails does not stop the others. When the loop
    is left, the runs in progress are stopped.

    Raises `InputError`, before anything is trained, when a folder holds a run with other settings.
    """
    for run in runs:
        check_same(run)
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_set_up_process)
    try:
        futures = {pool.submit(train_one, run): run for run in runs if not run.result_path.exists()}
        for future in as_completed(futures):
            try:
                future.result()
                yield futures[future], None
            except (InputError, OSError, MemoryError, BrokenProcessPool) as error:
                yield futures[future], str(error) or "out of memory"
    finally:
        processes = [*(pool._processes or {}).values()]
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


def train_one(run: PlannedRun) -> None:
    """Train a run to its end, from where it is, and write its result.json."""
    started = RunFolder(run.folder).config_path.exists()
    trained = resume(run.folder) if started else begin(folder=run.folder, **run.settings)
    for _ in trained.updates():
        pass
    scores = trained.evaluate()
    result = {
        "perplexity": perplexity(scores.loss),
        "bleu": scores.text.bleu,
        "parameters": sum(parameter.data.size for parameter in trained.model.parameters()),
        "seconds": trained.log.rows[-1]["seconds"],
    }
    write_json(run.result_path, result)


def _set_up_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the process; its last checkpoint stays
    limit_blas_threads(1)
    keep_freed_memory()
