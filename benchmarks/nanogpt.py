"""nanoGPT's published CPU setting on tiny Shakespeare, by npformer and by the same work in
PyTorch eager, in turns.

    python benchmarks/nanogpt.py [--updates 2000] [--turn 50] [--threads 2]

Both start from the same weights, read the same batches and take the same Adam with the same
learning rate, so that nothing but the framework differs: 4 layers, 4 heads, d_model 128, d_ff
512, a context of 64 characters, 12 of them a batch, no dropout, pre-norm, learned positions,
GELU; the rate rises for 100 updates to 1e-3 and falls along a cosine to 1e-4, beta2 0.99,
gradients cut at length 1. npformer has malloc keep what is freed, as every training of it does,
and PyTorch malloc's defaults, as its users have. nanoGPT (github.com/karpathy/nanoGPT, README, "i
only have a macbook") reports a validation loss of 1.88 after 2,000 updates. It starts its weights
otherwise and decays them; neither is done here. The text comes from the folder tinyshakespeare of
$NPFORMER_DATA.

The two take turns of some updates each, in processes of their own, so that what slows the machine
down slows both.
"""

from __future__ import annotations

import argparse
import statistics
import time

from measure import SPAWN, machine, peak_memory, set_threads

UPDATES, CONTEXT, SEQUENCES = 2000, 64, 12
PEAK, FINAL, WARMUP = 1e-3, 1e-4, 100
REPORTED = 1.88


def text_and_vocabulary():
    """Return the ids of both parts of the text, and how many tokens there are."""
    from npformer import datasets
    from npformer.text import Vocabulary

    parts = datasets.get("shakespeare").load("train", "held_out")
    train, held_out = (str(part[0]) for part in parts)
    vocabulary = Vocabulary.build([train], tokenizer="character", running=True)
    return vocabulary.encode(train), vocabulary.encode(held_out), len(vocabulary)


def batches_of(ids, n: int, seed: int):
    """Return the first n full batches of the epochs of a text."""
    from npformer.tasks import TextChunks

    n_tokens = SEQUENCES * CONTEXT
    chunks = TextChunks(ids, length=CONTEXT, batch_tokens=n_tokens, seed=seed)
    found: list = []
    epoch = 1
    while len(found) < n:
        found += [batch for batch in chunks.epoch(epoch) if batch.n_tokens == n_tokens]
        epoch += 1
    return found[:n]


def fresh_model(vocab_size: int):
    """Return the language model that both begin with."""
    from npformer.models import LanguageModel, LanguageModelConfig

    config = LanguageModelConfig(
        vocab_size=vocab_size,
        d_model=128,
        d_ff=512,
        n_heads=4,
        n_decoder_layers=4,
        max_len=CONTEXT,
        norm="pre",
        positions="learned",
        activation="gelu",
        dropout=0.0,
        layer_norm_eps=1e-5,
    )
    return LanguageModel(config, rng=0)


class NPFormer:
    """npformer, with a worker for each thread."""

    def __init__(self, vocab_size: int, schedule, threads: int):
        from npformer.tasks import Objective, TextChunks
        from npformer.training import Adam, Trainer
        from npformer.utils.threads_and_memory import keep_freed_memory

        keep_freed_memory()
        self.model = fresh_model(vocab_size)
        adam = Adam(
            self.model.parameters(),
            learning_rate=schedule,
            beta1=0.9,
            beta2=0.99,
            eps=1e-8,
        )
        unused = TextChunks([4, 5, 6], length=1, batch_tokens=1)  # step() brings its own batches
        objective = Objective(self.model, label_smoothing=0.0)
        self.trainer = Trainer(objective, adam, unused, clip_norm=1.0, workers=threads)

    def step(self, batch) -> float:
        return self.trainer.update([batch])

    def loss(self, cache_chunks) -> float:
        from npformer.tasks import mean_loss

        return mean_loss(self.model, cache_chunks)


class Torch:
    """The same model, weights, batches and Adam in PyTorch eager, Adam fused."""

    def __init__(self, vocab_size: int, schedule, threads: int):
        import torch
        from lm_torch import TorchLanguageModel

        torch.set_num_threads(threads)
        self.torch, self.schedule, self.steps = torch, schedule, 0
        self.model = TorchLanguageModel(fresh_model(vocab_size))
        self.adam = torch.optim.Adam(
            self.model.parameters(), lr=0.0, betas=(0.9, 0.99), eps=1e-8, fused=True
        )

    def loss_of(self, batch):
        ids, targets = map(self.torch.from_numpy, (batch.ids, batch.targets))
        logits = self.model(ids).flatten(0, 1)
        return self.torch.nn.functional.cross_entropy(logits, targets.flatten())

    def step(self, batch) -> float:
        self.adam.zero_grad()
        loss = self.loss_of(batch)
        loss.backward()
        self.torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.steps += 1
        self.adam.param_groups[0]["lr"] = self.schedule(self.steps)
        self.adam.step()
        return loss.item()

    def loss(self, cache_chunks) -> float:
        with self.torch.no_grad():
            parts = [
                (batch.n_tokens, self.loss_of(batch).item()) for batch in cache_chunks.epoch(1)
            ]
        return sum(n * loss for n, loss in parts) / sum(n for n, _ in parts)


CONTESTANTS: dict[str, type[NPFormer] | type[Torch]] = {
    "npformer": NPFormer,
    "torch, same work": Torch,
}


def work(name: str, updates: int, threads: int, pipe) -> None:
    """Take as many updates as told to, and send their seconds and losses; at the end the loss on
    the held-out text.
    """
    from npformer.tasks import TextChunks
    from npformer.training import CosineSchedule

    train, held_out, vocab_size = text_and_vocabulary()
    schedule = CosineSchedule(
        PEAK, warmup_steps=WARMUP, decay_steps=max(updates, WARMUP + 1), final=FINAL
    )
    contestant = CONTESTANTS[name](vocab_size, schedule, threads)
    batches = iter(batches_of(train, updates, seed=0))
    pipe.send("ready")
    while (n := pipe.recv()) is not None:
        losses, start = [], time.perf_counter()
        for _ in range(n):
            losses.append(contestant.step(next(batches)))
        pipe.send((time.perf_counter() - start, losses))
    pipe.send(
        (
            contestant.loss(TextChunks(held_out, length=CONTEXT, batch_tokens=4096, shuffle=False)),
            peak_memory(),
        )
    )


class Contestant:
    """A framework in a process of its own, which rests while the other has its turn."""

    def __init__(self, name: str, updates: int, threads: int):
        self.name = name
        self.seconds: list[float] = []
        self.losses: list[float] = []
        self.pipe, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(target=work, args=(name, updates, threads, theirs))
        self.process.start()
        self.pipe.recv()

    def turn(self, n: int) -> None:
        self.pipe.send(n)
        seconds, losses = self.pipe.recv()
        self.seconds.append(seconds)
        self.losses += losses

    def finish(self) -> tuple[float, float]:
        self.pipe.send(None)
        measured = self.pipe.recv()
        self.process.join()
        return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--updates", type=int, default=UPDATES, help=f"updates in all (default {UPDATES})"
    )
    parser.add_argument("--turn", type=int, default=50, help="updates of a turn (default 50)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each (default 2)")
    options = parser.parse_args()
    set_threads(options.threads)
    print(machine(options.threads))
    contestants = [Contestant(name, options.updates, options.threads) for name in CONTESTANTS]
    for start in range(0, options.updates, options.turn):
        turn = start // options.turn
        for contestant in contestants if turn % 2 == 0 else reversed(contestants):
            contestant.turn(min(options.turn, options.updates - start))
    print(
        f"\n{options.updates} updates of {SEQUENCES} x {CONTEXT} characters, "
        f"in turns of {options.turn}"
    )
    print("                    seconds   last 100 updates' loss   held-out loss   peak memory")
    for contestant in contestants:
        loss, memory = contestant.finish()
        recent = statistics.mean(contestant.losses[-100:])
        seconds = sum(contestant.seconds)
        print(
            f"{contestant.name:<18}{seconds:9.1f}   {recent:22.4f}   {loss:13.4f}   "
            f"{memory:7.0f} MiB"
        )
    print(f"nanoGPT reports                                               {REPORTED:.2f}")
    ours, theirs = (contestant.seconds for contestant in contestants)
    ratios = sorted(b / a for a, b in zip(ours, theirs, strict=True))
    quarter = len(ratios) // 4
    middle = f"middle half {ratios[quarter]:.2f} to {ratios[-1 - quarter]:.2f}"
    of_turns = f"median {statistics.median(ratios):.2f}, {middle}"
    print(f"\nPyTorch / npformer, time: {sum(theirs) / sum(ours):.2f}; turns: {of_turns}")
    furthest = max(
        abs(a - b) for a, b in zip(contestants[0].losses, contestants[1].losses, strict=True)
    )
    print(f"largest difference of the two losses over all updates: {furthest:.4f}")


if __name__ == "__main__":
    main()
