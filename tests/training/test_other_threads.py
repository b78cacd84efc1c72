"""A fork beside a thread in the middle of a matrix product hangs, so processes wait until there is none."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from multiprocessing.pool import ThreadPool

import numpy as np
import pytest
from npformer.workers.others import another_may_multiply

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")


class Multiplying:
    """A thread that multiplies matrices all the time, in a with block."""

    def __enter__(self):
        self.stop = False
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        a = np.ones((40, 40))
        while not self.stop:
            np.matmul(a, a)

    def __exit__(self, *error):
        self.stop = True
        self.thread.join()


def test_a_thread_that_waits_multiplies_nothing():
    event, answers = threading.Event(), []
    asking = threading.Thread(target=lambda: answers.append(another_may_multiply()))  # while this thread joins it
    with ThreadPoolExecutor(2) as pool:
        pool.submit(int).result()
        waiting = pool.submit(event.wait)
        timer = threading.Timer(60, int)
        timer.start()
        time.sleep(0.05)
        assert not another_may_multiply()
        asking.start(), asking.join()
        assert answers == [False]
        timer.cancel(), event.set(), waiting.result()


def test_one_that_runs_code_of_others_may():
    with Multiplying():
        assert another_may_multiply()
    assert not another_may_multiply()


def test_so_may_any_of_multiprocessings_pool_of_threads():
    a = np.ones((700, 700))
    for ask in (
        lambda pool: pool.apply_async(np.matmul, (a, a)),
        lambda pool: pool.map_async(a.dot, [a]),
        lambda pool: pool.starmap_async(np.dot, [(a, a)]),
    ):
        with ThreadPool(1) as pool:
            time.sleep(0.05)  # until its threads are where they wait
            product = ask(pool)
            while not product.ready():
                assert another_may_multiply()


def test_so_may_one_that_was_given_a_function_in_c():
    a = np.ones((700, 700))
    with ThreadPoolExecutor(1) as pool:
        product = pool.submit(np.matmul, a, a)
        while not product.running():
            time.sleep(0)
        told = another_may_multiply()
        assert told or product.done()


def test_beside_it_threads_train_and_after_it_processes(make_trainer):
    trainer, threads = make_trainer(workers=3, dropout=0.5), make_trainer(workers=3, dropout=0.5, processes=False)
    team, updates = trainer.replicas.team, trainer.updates(2)
    with Multiplying():
        records = list(islice(updates, 3))
        assert team.children == []
    records += islice(updates, 3)
    assert len(team.children) == 2
    with Multiplying():
        records += updates  # by the children that there are
        assert len(team.children) == 2
    assert records == list(threads.updates(2))


def test_who_asks_for_processes_has_them(make_trainer):
    trainer, event = make_trainer(workers=2, processes=True), threading.Event()

    def wait():
        while not event.is_set():
            time.sleep(0.001)

    thread = threading.Thread(target=wait)
    thread.start()
    assert another_may_multiply()
    next(trainer.updates(1))
    event.set(), thread.join()
    assert len(trainer.replicas.team.children) == 1


SCRIPT = """
import threading, time
import numpy as np
from npformer import Transformer, TransformerConfig
from npformer.tasks import Batches, Objective
from npformer.training import Adam, FlatParameters, Trainer
def multiply():
    a = np.ones((300, 300), "float32")
    while True:
        np.matmul(a, a)
model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10), rng=0)
adam = Adam(FlatParameters(model.parameters()), learning_rate=0.01)
trainer = Trainer(Objective(model), adam, Batches([([4, 5, 6], [6, 5, 4])] * 4, batch_tokens=64), workers=2)
[batch] = trainer.batches.epoch(1)
threading.Thread(target=multiply, daemon=True).start()
end = time.monotonic() + 2
while time.monotonic() < end:
    trainer.replicas.team.renew()
    trainer.update([batch])
"""


@pytest.mark.long
def test_training_beside_large_products_does_not_hang(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    subprocess.run([sys.executable, "-c", SCRIPT], timeout=60, check=True)
