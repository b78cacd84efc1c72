"""The number of workers that nobody says: what is tried, which is taken, and that trying leaves nothing behind."""

import os
import threading
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest

from npformer import InputError, runs
from npformer.base.machine import SAID
from npformer.base.tensors import load_tensors
from npformer.models.cost import costs_of, multiplications
from npformer.runs import workers as module
from npformer.runs.folder import RunFolder
from npformer.runs.workers import SHARE, Tried, climbed
from npformer.training import Trainer
from npformer.workers import processes


@pytest.fixture
def cores(monkeypatch):
    """Let there be so many cores, and nobody say how many of them to use."""

    def there_are(n):
        for name in SAID:
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr("os.sched_getaffinity", lambda process: {*range(n)}, raising=False)

    return there_are


@pytest.fixture
def pretend(monkeypatch):
    """Time updates as ever, or not at all, and say that they took other seconds; return what was tried."""

    def seconds_are(seconds, *, timed=False):
        usual, tried = module.seconds_an_update, []

        def instead(settings, config, batches, batch, ranks):
            tried.append((settings.workers, batch))
            if timed:
                usual(settings, config, batches, batch, ranks)
            return seconds[settings.workers]

        monkeypatch.setattr(module, "seconds_an_update", instead)
        return tried

    return seconds_are


@pytest.mark.parametrize(
    ("times", "most", "tried", "best"),
    [
        ([9.0], 1, [1], 1),
        ([9.0, 5.0], 2, [1, 2], 2),
        ([9.0, 8.6], 2, [1, 2], 1),  # hardly faster
        ([9.0, 6.0, 5.0], 3, [1, 2, 3], 3),
        ([9.0, 5.0, 4.0, 3.0], 6, [1, 2, 4, 6], 6),
        ([9.0, 9.5, 12.0], 64, [1, 2, 4], 1),  # a small model
        ([9.0, 5.0, 5.2], 64, [1, 2, 4], 2),
        ([9.0, 5.0, 4.7, 3.0], 8, [1, 2, 4, 8], 8),
        ([100.0, 400.0, 210.0, 115.0, 70.0, 50.0, 48.0], 64, [1, 2, 4, 8, 16, 32, 64], 32),  # a wide one
        ([1.0, 400.0, 210.0, 209.0], 64, [1, 2, 4, 8], 1),
    ],
)
def test_what_is_tried_and_what_is_best(times, most, tried, best):
    left = iter(times)
    found = climbed(lambda n: next(left), most)
    assert list(found) == tried and list(found.values()) == times
    assert Tried(found, 0.0, most).best == best


@pytest.mark.parametrize(("share", "best"), [(SHARE + 0.001, 1), (SHARE - 0.001, 2)])
def test_a_small_lead_is_not_worth_a_worker(share, best):
    assert Tried({1: 1.0, 2: share}, 0.0, 2).best == best


def test_the_best_is_kept_in_the_settings_and_told(begin, cores, pretend):
    cores(2)
    tried = pretend({1: 0.02, 2: 0.0125})
    run = begin(workers=0)
    assert [n for n, _ in tried] == [1, 2]
    assert run.settings.workers == run.folder.training().workers == len(run.trainer.replicas.gradients) == 2
    assert str(run.tried).startswith("2: 12.5 ms an update; with 1 20.0 ms")
    again = runs.resume(run.folder.path)
    assert (again.settings.workers, again.tried, len(tried)) == (2, None, 2)


@pytest.mark.parametrize(("said", "n_cores"), [("1", 8), ("", 1)])
def test_where_one_may_compute_nothing_is_tried(begin, cores, pretend, monkeypatch, said, n_cores):
    cores(n_cores)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", said)
    tried = pretend({})
    run = begin(workers=0)
    assert (run.settings.workers, run.folder.training().workers, run.tried, tried) == (1, 1, None, [])


def test_nothing_is_tried_where_a_number_is_given(begin, cores, pretend):
    cores(2)
    tried = pretend({})
    assert begin(workers=2).settings.workers == 2 and not tried


def test_0_is_the_default_and_tries_whatever_a_recipe_says(begin, cores, pretend):
    cores(2)
    tried = pretend({1: 1.0, 2: 0.5})
    assert begin("one", recipe="tiny").settings.workers == 1 and not tried
    assert begin("two", recipe="tiny", workers=0).settings.workers == begin("default").settings.workers == 2
    with pytest.raises(InputError, match="workers = -1: expected a whole number, 0 or more"):
        begin(workers=-1)


def test_no_more_are_tried_than_a_batch_has_sentences(begin, cores, pretend):
    """A batch as costly as most has 10 or 11."""
    cores(64)
    tried = pretend({n: 1 / n for n in range(1, 65)})
    run = begin(workers=0)
    sentences = len(tried[0][1].src)
    assert [n for n, _ in tried] == [1, 2, 4, 8, sentences] and 8 < sentences < 16
    assert run.settings.workers == sentences
    assert len(list(islice(run.updates(), 3))) == 3  # the last batch of an epoch has fewer


def test_a_batch_as_costly_as_most_is_tried(begin, cores, pretend):
    cores(2)
    tried = pretend({1: 1.0, 2: 1.0})
    run = begin(workers=0, batch_tokens=18)
    costs = sorted(costs_of(run.config, run.trainer.batches.epoch(1)))
    assert costs[0] < costs[-1]
    for _, batch in tried:
        tokens = [int((ids != 0).sum()) for ids in batch.inputs]
        found = multiplications(run.config, (*batch.src.shape, batch.tgt_in.shape[1]), tokens)
        assert found.total == costs[len(costs) // 2]


@pytest.mark.parametrize("accumulate", [1, 3])
def test_each_number_is_timed_over_whole_updates_after_a_first_one(begin, cores, monkeypatch, accumulate):
    cores(2)
    monkeypatch.setattr(module, "SECONDS", 0.0)
    usual, seen = Trainer.update, []

    def update(trainer, batches):
        seen.append((len(trainer.replicas.objectives), len(batches)))
        return usual(trainer, batches)

    monkeypatch.setattr(Trainer, "update", update)
    begin(workers=0, accumulate=accumulate)
    assert seen == [(1, accumulate)] * (1 + module.TURNS) + [(2, accumulate)] * (1 + module.TURNS)


def test_fast_updates_are_timed_for_a_while(begin, cores, monkeypatch):
    cores(2)
    ticks = iter(range(10**6))
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(ticks) * 0.01)
    run = begin(workers=0)
    assert run.tried.seconds == pytest.approx({1: 0.01, 2: 0.01}) and next(ticks) >= 2 * 2 * 15


def left_by(run):
    """What a run holds and has written but the seconds, and which folder it is."""
    tensors, note = load_tensors(run.folder.checkpoint_path)
    note["progress"].pop("identity")
    rows = [{name: value for name, value in row.items() if name != "seconds"} for row in run.log.rows]
    streams = [repr(rng.bit_generator.state) for rng in run.trainer.generators()]
    spawned = [rng.bit_generator.seed_seq.n_children_spawned for rng in run.trainer.generators()]
    places = run.trainer.epoch, run.trainer.batch, run.trainer.optimizer.steps
    note["progress"].pop("log")  # a checksum of the seconds too
    return {k: v.tobytes() for k, v in tensors.items()}, note, rows, streams, spawned, places, run.settings


HOWS = {"accumulate": 2, "clip_norm": 0.5}, {"unit": "subwords", "vocab_size": 270}


@pytest.mark.parametrize("how", [{}, *(pytest.param(how, marks=pytest.mark.long) for how in HOWS)])
def test_trying_leaves_no_trace(begin, cores, pretend, how):
    if "unit" in how:
        pytest.importorskip("tokenizers")
        how = {**how, "subword_dropout": 0.5, "batch_tokens": 256}
    cores(4)
    tried = pretend({1: 1.0, 2: 0.5, 4: 0.7}, timed=True)
    given, found = begin("given", workers=2, dropout=0.3, **how), begin("found", workers=0, dropout=0.3, **how)
    assert [n for n, _ in tried] == [1, 2, 4] and found.tried.best == 2 and given.tried is None
    assert left_by(given) == left_by(found)
    assert list(map(losses, given.updates())) == list(map(losses, found.updates()))
    assert left_by(given) == left_by(found)


def losses(update):
    return update.step, update.loss, update.held_out_loss, update.learning_rate


@pytest.mark.parametrize("error", [InputError("no 3 more"), MemoryError("no room"), ChildProcessError("was killed")])
@pytest.mark.parametrize("most", [1, 2])
def test_a_number_that_cannot_be_had_ends_the_climb(begin, cores, monkeypatch, error, most):
    def seconds(settings, *how):
        if settings.workers > most:
            raise error
        return 1 / settings.workers

    cores(8)
    monkeypatch.setattr(module, "seconds_an_update", seconds)
    run = begin(workers=0)
    assert run.settings.workers == most and list(run.tried.seconds) == [1, 2, 4][: most + 1]
    assert f"with {2 * most} none: so many cannot be had here" in str(run.tried)


def test_where_no_process_can_be_forked_one_worker_trains(begin, cores, monkeypatch):
    def refuse():
        raise BlockingIOError(11, "Resource temporarily unavailable")

    cores(2)
    monkeypatch.setattr(processes, "fork_sharing", refuse)
    monkeypatch.setattr(processes, "another_may_multiply", lambda: False)
    run = begin(workers=0)
    assert run.settings.workers == 1 and len(list(islice(run.updates(), 2))) == 2


def test_what_one_worker_cannot_do_is_raised(begin, cores, monkeypatch):
    def seconds(*how):
        raise MemoryError("no room")

    cores(2)
    monkeypatch.setattr(module, "seconds_an_update", seconds)
    with pytest.raises(MemoryError, match="no room"):
        begin(workers=0)


def test_nothing_goes_on_running(begin, cores, pretend):
    cores(4)
    before, children = {*threading.enumerate()}, child_processes()
    pretend({1: 1.0, 2: 1.0, 4: 1.0}, timed=True)
    run = begin(workers=0)
    for thread in {*threading.enumerate()} - before:
        thread.join(5)
    assert run.settings.workers == 1
    assert {*threading.enumerate()} <= before and child_processes() == children


def child_processes():
    """The processes that this one has started, where the system tells."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            number, _, rest = status.read_text().partition(" ")
            if int(rest.rpartition(")")[2].split()[1]) == os.getpid():
                found.add(number)
    return found


def test_a_rate_at_which_training_diverges_does_no_harm_before(begin, cores):
    cores(2)
    run = begin(workers=0, learning_rate=1e30, warmup_steps=1)
    with pytest.raises(InputError, match="training has diverged"):
        list(run.updates())


def test_other_programs_that_keep_the_machine_busy_are_told(begin, cores, pretend, monkeypatch):
    cores(2)
    pretend({1: 1.0, 2: 1.0})
    busy = iter([1.25, 9.0])  # those that come later keep nobody from the first try
    monkeypatch.setattr(module.OthersWatched, "n_busy", lambda others: next(busy))
    assert str(begin(workers=0).tried).endswith(". Other programs kept 1.2 of 2 cores busy meanwhile")


@pytest.mark.parametrize(("n_busy", "n_cores", "told"), [(0.5, 2, 0), (0.6, 2, 1), (60.0, 64, 0), (60.6, 64, 1)])
def test_they_are_told_of_where_too_few_cores_are_left(n_busy, n_cores, told):
    tried = Tried(dict.fromkeys([1, 2] if n_cores == 2 else [1, 2, 4], 1.0), n_busy, n_cores)
    assert str(tried).count("Other programs") == told


def test_ranks_try_together_and_take_one_number(as_ranks, begin, cores, monkeypatch, tmp_path):
    """Each of two ranks has two of five cores; its own clock would tell other seconds."""
    cores(5)
    monkeypatch.setattr(module.OthersWatched, "n_busy", lambda others: 5.0)

    def run():
        run = begin(workers=0)
        return run.tried, run.settings.workers, len(run.trainer.replicas.gradients)

    (tried, *numbers), other = as_ranks(2, run)
    assert other == (tried, *numbers) and list(tried.seconds) == [1, 2]
    assert [*numbers, RunFolder(tmp_path / "run").training().workers] == [tried.best] * 3
    assert "Other programs" not in str(tried)
