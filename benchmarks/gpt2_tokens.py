"""Seconds per token of GPT-2 as it is imported, and of transformers' model, with random weights.

    $ python benchmarks/gpt2_tokens.py

Both read a prompt and continue it by the most probable tokens, with a KV cache, in float32 and with
the same number of threads, each in a process of its own, in turns. The least time of all turns
counts, because other programs on the machine can only add to it. The tokens must be the same.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from measure import PAUSE, SPAWN, in_fresh_process, machine, peak_memory, set_threads

SIZES = {  # of published models: n_layer, n_embd, n_head
    "124M": (12, 768, 12),
    "355M": (24, 1024, 16),
    "tiny": (2, 48, 3),
}
VOCAB_SIZE = 50257
# the arguments are a prompt, how many tokens follow, and what is called with each
Continue = Callable[[list[int], int, Callable[[int], None]], None]


def write_model(size: str, folder: str) -> None:
    """Write a GPT-2 with random weights."""
    from transformers import GPT2Config, GPT2LMHeadModel

    n_layer, n_embd, n_head = SIZES[size]
    config = GPT2Config(n_layer=n_layer, n_embd=n_embd, n_head=n_head)
    GPT2LMHeadModel(config).save_pretrained(folder)


def npformer_model(folder: str) -> Continue:
    import npformer as npf
    from npformer.decoding import Sampler

    generator = npf.interop.load(folder)

    def continue_(prompt, n, note):
        for token in generator.tokens(prompt, n, Sampler(top_k=1)):
            note(token)

    return continue_


def transformers_model(folder: str) -> Continue:
    import torch
    from transformers import GPT2LMHeadModel
    from transformers.generation import BaseStreamer

    model = GPT2LMHeadModel.from_pretrained(folder, attn_implementation="eager").eval()
    model.generation_config.eos_token_id = None

    class Streamer(BaseStreamer):
        def __init__(self, note):
            self.note = note

        def put(self, ids):
            # the prompt comes first, which has two axes
            if ids.ndim == 1:
                self.note(int(ids[0]))

        def end(self):
            pass

    def continue_(prompt, n, note):
        ids = torch.tensor([prompt])
        model.generate(ids, do_sample=False, max_new_tokens=n, streamer=Streamer(note))

    return continue_


CONTESTANTS = {"npformer": npformer_model, "transformers": transformers_model}
_models: dict[str, Any] = {}  # that of this process


def prepare(name: str, folder: str) -> None:
    """Load the model of this process."""
    _models[name] = CONTESTANTS[name](folder)


def turn(name: str, prompt: list[int], n: int) -> tuple[list[int], float, float]:
    """Return n tokens, the seconds until the first one, and the seconds of each of the others."""
    tokens: list[int] = []
    times = [time.perf_counter()]

    def note(token: int) -> None:
        tokens.append(token)
        times.append(time.perf_counter())

    _models[name](prompt, n, note)
    return tokens, times[1] - times[0], (times[-1] - times[1]) / (n - 1)


def compare(folder: str, prompt: list[int], n: int, turns: int) -> list[str]:
    """Return a line of a Markdown table for each contestant."""
    pools = {}
    for name in CONTESTANTS:
        pools[name] = ProcessPoolExecutor(1, SPAWN, initializer=prepare, initargs=(name, folder))

    results: dict[str, list] = {name: [] for name in CONTESTANTS}
    for _ in range(turns):
        for name, pool in pools.items():
            results[name].append(pool.submit(turn, name, prompt, n).result())
            time.sleep(PAUSE)

    lines = ["|  | prompt | per token | peak memory |", "|---|--:|--:|--:|"]
    for name, pool in pools.items():
        all_tokens, firsts, others = zip(*results[name], strict=True)
        if any(tokens != results["npformer"][0][0] for tokens in all_tokens):
            raise SystemExit(f"the tokens of {name} differ: {all_tokens}")
        memory = pool.submit(peak_memory).result()
        seconds = f"{1e3 * min(firsts):,.0f} ms | {1e3 * min(others):,.1f} ms"
        lines.append(f"| {name} | {seconds} | {memory:,.0f} MiB |")
        pool.shutdown()
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--size", choices=SIZES, default="124M", help="the published model, default 124M")
    add("--prompt", type=int, default=100, help="tokens of the prompt, default 100")
    add("--new", type=int, default=50, help="tokens that follow, default 50")
    add("--turns", type=int, default=5, help="of each, default 5")
    add("--threads", type=int, default=1, help="of each process, default 1")
    options = parser.parse_args()
    set_threads(options.threads)

    prompt = np.random.default_rng(0).integers(VOCAB_SIZE - 1, size=options.prompt).tolist()
    with tempfile.TemporaryDirectory() as folder:
        in_fresh_process(write_model, options.size, folder)
        print(machine(options.threads, ("torch", "transformers")))
        print(f"load {os.getloadavg()[0]:.1f} before the first turn")
        lines = compare(folder, prompt, options.new, options.turns)
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
