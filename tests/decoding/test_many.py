"""Many sentences: the groups, and the workers that share them."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from blas import blas_thread_counts
from npformer.training.shared_memory import fork_sharing
from npformer.workers import processes as forking
from threadpoolctl import threadpool_limits

from npformer import InputError
from npformer.decoding import batching as many
from npformer.decoding import greedy_decode
from npformer.decoding.batching import groups_of_like_length
from npformer.training.alone import Alone

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
both_kinds = pytest.mark.parametrize("processes", [False, pytest.param(True, marks=on_linux)])
THREE = {"sources": [[4] * 40, [5] * 41, [7] * 40], "batch_tokens": 2}  # a group each


class OneOfTwo(Alone):
    """A rank beside another, which does all the work."""

    n = 2

    def shared(self, work, items):
        return work(items)


def pids_of(model, **how):
    """Which processes decode."""
    return set(many.decode_many(model, lambda src: [os.getpid()] * len(src), **THREE, **how))


def test_groups_hold_every_index_once_and_stay_within_the_budget():
    lengths = np.random.default_rng(0).integers(1, 30, 200).tolist()
    groups = groups_of_like_length(lengths, 64)
    assert sorted(index for group in groups for index in group) == list(range(200))
    assert all(len(group) * max(lengths[i] for i in group) <= 64 for group in groups)
    assert len(groups) < 2 * sum(lengths) / 64


@both_kinds
@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("batch_tokens", [1, 9, 1000])
def test_workers_share_the_groups_and_the_order_stays(make_model, workers, batch_tokens, processes):
    sources = [[5 + i % 7] * (i % 5 + 1) + [i] for i in range(23)][1:]

    def decode(src):
        return [[src.size, *row[row != 0].tolist()] for row in src]

    how = {"batch_tokens": batch_tokens, "workers": workers, "processes": processes}
    found = many.decode_many(make_model(), decode, sources, **how)
    assert [ids for _, *ids in found] == sources and max(size for size, *_ in found) <= max(batch_tokens, 6)


@both_kinds
def test_any_workers_write_what_one_writes(make_model, id_pairs, processes):
    model, sources = make_model(), [[*source, 3] for source, _ in id_pairs]

    def decode(src):
        return greedy_decode(model, src)

    how = {"batch_tokens": 30, "processes": processes}
    found = [many.decode_many(model, decode, sources, workers=workers, **how) for workers in (1, 2)]
    assert found[0] == found[1] and len({tuple(ids) for ids in found[0]}) > 5


@both_kinds
def test_each_of_several_workers_computes_on_one_thread(make_model, processes):
    with threadpool_limits(2, user_api="blas"):
        seen = many.decode_many(
            make_model(), lambda src: [sorted(blas_thread_counts())] * len(src), **THREE, workers=2, processes=processes
        )
        assert blas_thread_counts() == {2} and all(counts == [1] for counts in seen)


@on_linux
def test_workers_are_processes_unless_threads_are_asked_for_or_there_are_other_ranks(make_model):
    model = make_model()
    assert len(pids_of(model, workers=2)) == 2 and len(pids_of(model, workers=3, processes=True)) == 3
    assert pids_of(model, workers=2, processes=False) == {os.getpid()} == pids_of(model, workers=1)
    assert pids_of(model, workers=2, ranks=OneOfTwo()) == {os.getpid()}


@on_linux
def test_where_few_tokens_are_read_no_process_is_forked_unless_one_is_asked_for(make_model):
    def pids(sources, **how):
        found = many.decode_many(make_model(), lambda src: [os.getpid()] * len(src), sources, batch_tokens=60, **how)
        return len(set(found))

    assert pids([[4] * 49, [5] * 50], workers=2) == 1 and pids([[4] * 50, [5] * 50], workers=2) == 2
    assert pids([[4] * 49, [5] * 50], workers=2, processes=True) == 2


@on_linux
def test_no_more_children_are_forked_than_there_are_groups(make_model, monkeypatch):
    forked = []
    monkeypatch.setattr(forking, "fork_sharing", lambda: forked.append(None) or fork_sharing())
    assert len(pids_of(make_model(), workers=24)) == 3 and len(forked) == 2


@on_linux
def test_no_child_outlives_its_call(make_model, teams):
    [child] = pids_of(make_model(), workers=2) - {os.getpid()}
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert [team.children for team in teams] == [[]]


@both_kinds
def test_no_thread_outlives_its_call(make_model, monkeypatch, teams, processes):
    if processes:
        monkeypatch.setattr(forking, "another_may_multiply", lambda: True)  # so that threads take over
    before = threading.active_count()
    assert pids_of(make_model(), workers=2, processes=None if processes else False) == {os.getpid()}
    assert threading.active_count() == before and len(teams) == 1


def test_what_threads_leave_is_there(make_model):
    seen = []
    many.decode_many(make_model(), lambda src: seen.extend(src) or list(src), **THREE, workers=2, processes=False)
    assert len(seen) == 3


@on_linux
def test_what_a_child_prints_goes_nowhere(make_model, capfd):
    home = os.getpid()

    def decode(src):
        if os.getpid() != home:
            print("told by a child", flush=True)
            sys.stdout.write("and more")
            sys.stderr.write("and more")
        return list(src)

    many.decode_many(make_model(), decode, **THREE, workers=3)
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
@on_linux
def test_a_child_whose_parent_was_killed_begins_no_other_group(tmp_path):
    log = tmp_path / "log"
    program = f"""
import os, time, npformer as npf
from npformer.decoding import many
home = os.getpid()

def decode(src):
    if os.getpid() != home:
        open({str(log)!r}, "a").write(f"{{os.getpid()}}\\n")
    time.sleep(0.5)
    return list(src)

model = npf.Transformer(npf.TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9), rng=0)
many.decode_many(model, decode, [[4] * 9] * 40, batch_tokens=9, workers=2)
"""
    parent = subprocess.Popen([sys.executable, "-c", program])
    while not log.exists() or not log.read_text():
        assert parent.poll() is None
        time.sleep(0.02)
    parent.kill()
    parent.wait()
    time.sleep(1.5)
    assert len(log.read_text().split()) <= 2


@on_linux
def test_a_child_knows_the_weights_as_they_are_at_the_call(make_model):
    model = make_model()
    [bias] = [p for name, p in model.named_parameters() if name.endswith("encoder.layers.0.feed_forward.norm.bias")]

    def decode(src):
        return [float(bias.data[0])] * len(src)

    for value in (0.5, 0.25):
        bias.data[0] = value
        assert many.decode_many(model, decode, **THREE, workers=3) == [value] * 3


@both_kinds
def test_an_error_in_any_worker_is_the_calls(make_model, processes):
    def decode(src):
        if 7 in src:
            raise InputError("7 is no good")
        return list(src)

    for order in (slice(None), slice(None, None, -1)):
        with pytest.raises(InputError, match="7 is no good"):
            many.decode_many(
                make_model(), decode, THREE["sources"][order], batch_tokens=2, workers=3, processes=processes
            )


@on_linux
def test_a_killed_child_is_told_of(make_model):
    home = os.getpid()

    def decode(src):
        if os.getpid() != home:
            os.kill(os.getpid(), signal.SIGKILL)
        return list(src)

    with pytest.raises(ChildProcessError, match=r"worker 2 of 2 \(process \d+\) was killed by SIGKILL: memory may"):
        many.decode_many(make_model(), decode, **THREE, workers=2)


@on_linux
def test_where_no_process_can_be_forked_threads_decode(make_model, monkeypatch):
    def refuse():
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(forking, "fork_sharing", refuse)
    assert pids_of(make_model(), workers=2) == {os.getpid()}
    with pytest.raises(InputError, match="no 1 more processes can be had here"):
        pids_of(make_model(), workers=2, processes=True)


def test_the_model_is_in_eval_mode_in_each_worker(make_model):
    model = make_model().train()
    seen = many.decode_many(model, lambda src: [[*model.now]] * len(src), **THREE, workers=2)
    assert seen == [[False, False]] * 3 and all(model.now)


def test_less_than_one_worker_is_refused(make_model):
    with pytest.raises(InputError, match="workers = 0: expected a whole number, 1 or more"):
        many.decode_many(make_model(), lambda src: src, [[4, 3]], batch_tokens=9, workers=0)
