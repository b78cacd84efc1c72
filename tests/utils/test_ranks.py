"""What ranks tell each other, and how they share work; here they are threads."""

import json
import math
import os
import platform

import numpy as np
import pytest
from fake_ranks import all_well, in_ranks

from npformer import InputError
from npformer.backend import default_workers
from npformer.training.alone import Alone


@pytest.mark.parametrize("value", [None, 0.1 + 0.2, "ä\n", [1, [2, None]], {"a": math.inf}, ""])
def test_what_ranks_give_is_gathered_in_their_order(value):
    expected = [[rank, value] if rank else value for rank in range(3)]
    assert all_well(3, lambda ranks: ranks.gathered([ranks.rank, value] if ranks.rank else value)) == [expected] * 3
    assert all_well(3, lambda ranks: ranks.from_first(value if ranks.first else "other")) == [value] * 3


def test_an_array_of_the_first_rank_fills_those_of_all():
    def run(ranks):
        array = np.arange(4, dtype=np.float32) + 10 * ranks.rank
        ranks.fill(array)
        return array.tolist()

    assert all_well(3, run) == [[0, 1, 2, 3]] * 3


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("length", [0, 1, 2, 7, 10])
def test_work_is_dealt_out_and_its_results_come_back_in_order(n, length):
    done = []

    def run(ranks):
        def squares(items):
            mine = list(items)
            done.append(len(mine))
            return [item * item for item in mine]

        return ranks.shared(squares, iter(range(length)))

    found = all_well(n, run) if n > 1 else [run(Alone())]
    assert found == [[item * item for item in range(length)]] * n
    assert sum(done) == length and max(done) - min(done) <= 1


def test_the_first_rank_works_alone_and_the_others_after_it():
    order = []

    def run(ranks):
        return ranks.after_first(lambda: order.append(ranks.rank) or ranks.rank)

    assert all_well(3, run) == [0, 1, 2] and order[0] == 0 and len(order) == 3
    assert Alone().after_first(lambda: "made") == "made"


@pytest.mark.parametrize("odd", [1, 2])
def test_a_rank_that_differs_is_named_with_what_differs(odd):
    def run(ranks):
        ranks.check_alike(lambda: {"npformer": "1.0", "seed": 5 if ranks.rank == odd else 4})

    for error in in_ranks(3, run):
        assert isinstance(error, InputError)
        named = f"rank {odd} of 3 on {platform.node()} has seed = 5, and rank 0 has 4: bring the same files"
        assert str(error).startswith(named)


@pytest.mark.parametrize(
    ("odd", "told"), [(1, "rank 1 of 2 on {} has b = 5, and"), (0, "rank 1 of 2 on {} has no b, and")]
)
def test_a_fact_that_one_rank_alone_has_is_named_too(odd, told):
    def run(ranks):
        ranks.check_alike(lambda: {"a": 1, "b": 5} if ranks.rank == odd else {"a": 1})

    for error in in_ranks(2, run):
        assert isinstance(error, InputError) and str(error).startswith(told.format(platform.node()))


def test_ranks_that_are_alike_pass_and_the_only_process_is_not_even_asked():
    assert all_well(2, lambda ranks: ranks.check_alike(lambda: {"a": [1, None]})) == [None] * 2
    Alone().check_alike(lambda: pytest.fail("there is nothing to compare with"))


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not tell which cores we may use")
@pytest.mark.parametrize(("usable", "n", "each"), [(8, 2, 4), (8, 3, 2), (2, 4, 1), (1, 2, 1)])
def test_ranks_of_a_machine_share_its_cores(monkeypatch, usable, n, each):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {*range(usable)})
    for said, expected in {"": each, "1": 1, "64": each}.items():
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", said)
        assert all_well(n, lambda ranks: (ranks.default_workers(), ranks.n_cores())) == [(expected, each)] * n
        alone = usable if said != "1" else 1
        assert (Alone().default_workers(), default_workers(), Alone().n_cores()) == (alone, alone, usable)


def test_a_containers_quota_holds_for_each_rank(monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    monkeypatch.setattr("npformer.utils.cpu.quota", lambda: 1.5)
    monkeypatch.setattr("npformer.utils.cpu.cores", lambda: {*range(8)})
    monkeypatch.setattr("npformer.training.ranks.cores", lambda: {*range(8)})
    assert all_well(2, lambda ranks: (ranks.default_workers(), ranks.n_cores())) == [(2, 2)] * 2


def test_ranks_of_different_machines_have_their_own_cores(monkeypatch):
    monkeypatch.setattr(platform, "node", lambda: "one")
    gathered = [["one", [0, 1]], ["two", [0, 1]], ["one", [0, 1, 2]]]

    def run(ranks):
        ranks.gathered = lambda value: json.loads(json.dumps(gathered))
        return ranks.share_of_cores()

    assert all_well(3, run) == [1, 1, 1]
    gathered[2][0] = "three"
    assert all_well(3, run) == [2, 2, 2]
