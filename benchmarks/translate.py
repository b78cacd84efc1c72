"""Time translation by npformer and by three other programs.

These are nn.Transformer, Hugging Face's MarianMTModel and CTranslate2. All engines have the same
float32 model with the same random weights (3 + 3 layers, d_model 256, post-norm, one table), get
the same 100 sentences of 12 tokens, and write 30 new tokens for each: there is no <eos>, or it is
forbidden. Greedy search is the same function in all: "equal" counts the sentences for which an
engine gives npformer's tokens, and with fewer than nine in ten the program stops. Beam search is
the same work: rules for lengths and for stopping early differ, but have no effect when all lengths
are equal.

What is not the same: nn.Transformer keeps no cache, so its decoder reads the whole prefix at every
step, as in the usual tutorials; it has no beam search. CTranslate2 runs with and without MKL, with
all sentences at once and with 32 at a time, and its best counts. Tokenization is left out.

Each engine has a process of its own. They take turns, and the best time counts.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from importlib.util import find_spec

from measure import machine, set_threads
from train_step import BUSY, table
from translate_engines import (
    NEW_TOKENS,
    SOURCE_TOKENS,
    CTranslate2,
    NNTransformer,
    Task,
    task_size,
)
from translate_turns import Contestant, start_contestants

EQUAL_AT_LEAST = 0.9  # of the greedy sentences: in float32 two words can be as good as equal
SEARCHES = {1: "greedy", 4: "beam 4"}
LIBRARIES = ("torch", "transformers", "ctranslate2")
COLUMNS = ("search", "cache", "engine", "s", "sentences/s", "ratio", "equal")
LEGEND = """
s: best time for all sentences. ratio: it as a multiple of npformer's; above 1, npformer is faster.
equal: sentences with npformer's tokens."""


def rows(contestants: list[Contestant]) -> list[tuple[str, ...]]:
    """Return a row for each search and engine: the fastest of an engine's contestants counts."""
    ours = contestants[0]
    lines = []
    for beam, search in SEARCHES.items():
        fastest: dict[str, Contestant] = {}
        for contestant in contestants:
            if beam not in contestant.engine.beams:
                continue
            other = fastest.get(contestant.name)
            if other is None or contestant.best(beam) < other.best(beam):
                fastest[contestant.name] = contestant

        for name, contestant in fastest.items():
            lines.append((search, *cells(contestant, ours, beam)))
            if contestant.engine is CTranslate2:
                mkl = "with" if contestant.options["mkl"] else "without"
                batch = contestant.options["batch"]
                print(
                    f"{name}, {search}: fastest {mkl} MKL, {batch} sentences at a time",
                    file=sys.stderr,
                )
    return lines


def cells(contestant: Contestant, ours: Contestant, beam: int) -> tuple[str, ...]:
    """Return the cells of a row that follow the name of the search."""
    seconds = contestant.best(beam)
    sentences = len(contestant.ids[beam])
    return (
        "no" if contestant.engine is NNTransformer else "yes",
        contestant.name,
        f"{seconds:.3f}",
        f"{sentences / seconds:.1f}",
        f"{seconds / ours.best(beam):.2f}",
        f"{same_sentences(contestant, ours, beam)}/{sentences}",
    )


def same_sentences(one: Contestant, other: Contestant, beam: int) -> int:
    """Return the number of sentences for which two write the same tokens."""
    return sum(a == b for a, b in zip(one.ids[beam], other.ids[beam], strict=True))


def description(task: Task) -> str:
    """Say in a line what is translated by what."""
    size = task.size
    layers = f"{size.n_layers} + {size.n_layers} layers, d_model {size.d_model}, d_ff {size.d_ff}"
    model = f"{layers}, {size.n_heads} heads, vocabulary {size.vocab_size}"
    sentences = f"{size.sentences} sentences of {SOURCE_TOKENS} tokens"
    return f"{model}; {sentences}, {NEW_TOKENS} new tokens each"


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sentences", type=int, help="default 100; with --quick 20")
    parser.add_argument(
        "--rounds", type=int, help="turns of each engine and search (default 7; with --quick 2)"
    )
    parser.add_argument("--threads", type=int, default=2, help="default 2")
    parser.add_argument(
        "--quick", action="store_true", help="a first look: few sentences, 2 rounds"
    )
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    args = parser.parse_args()
    args.sentences = args.sentences or (20 if args.quick else 100)
    args.rounds = args.rounds or (2 if args.quick else 7)
    return args


def main() -> None:
    args = parse_args()
    if os.getloadavg()[0] > BUSY:
        print("other programs keep this machine busy: its times mean little", file=sys.stderr)
    set_threads(args.threads)
    with tempfile.TemporaryDirectory() as folder:
        task = Task(task_size(args.sentences), args.threads, folder)
        contestants = start_contestants(task)
        for contestant in contestants:
            equal = same_sentences(contestant, contestants[0], beam=1)
            if equal < EQUAL_AT_LEAST * task.size.sentences:
                sys.exit(
                    f"{contestant.name} and npformer differ by more than rounding: "
                    "they are not the same function"
                )
        for _ in range(args.rounds):
            for contestant in contestants:
                for beam, times in contestant.times.items():
                    times.append(contestant.turn(beam)[0])
    print(machine(args.threads, [library for library in LIBRARIES if find_spec(library)]))
    print(description(task))
    print(f"\n{table([COLUMNS, *rows(contestants)], args.markdown)}\n{LEGEND}")


if __name__ == "__main__":
    main()
