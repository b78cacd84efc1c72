"""The engines in processes of their own, which take turns."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec

from measure import SPAWN, in_fresh_process
from translate_engines import CTranslate2, Marian, NNTransformer, NPFormer, Task
from translate_weights import save_ctranslate2

PAUSE = 0.3  # seconds in which the threads of the last turn stop spinning
built: list = []  # in an engine's process: the engine


def build(engine, task: Task, options: dict) -> None:
    built.append(engine(task, **options))


def translate(beam: int) -> tuple[float, list[list[int]]]:
    start = time.perf_counter()
    result = built[0].translate(beam)
    return time.perf_counter() - start, built[0].ids(result)


class Contestant:
    """An engine in a process of its own, which rests while others have their turn."""

    def __init__(self, name: str, engine, task: Task, **options):
        self.name = name
        self.engine = engine
        self.options = options
        self.process = ProcessPoolExecutor(1, mp_context=SPAWN)
        self.process.submit(build, engine, task, options).result()
        self.ids = {beam: self.turn(beam)[1] for beam in engine.beams}  # which also warms it up
        self.times: dict[int, list[float]] = {beam: [] for beam in engine.beams}

    def turn(self, beam: int) -> tuple[float, list[list[int]]]:
        result = self.process.submit(translate, beam).result()
        time.sleep(PAUSE)
        return result

    def best(self, beam: int) -> float:
        return min(self.times[beam])


def start_contestants(task: Task) -> list[Contestant]:
    """Start the engines whose library is installed, npformer first, and name the others."""
    engines: list[tuple[str, type, tuple[str, ...], dict]] = [
        ("npformer", NPFormer, (), {}),
        ("nn.Transformer", NNTransformer, ("torch",), {}),
        ("MarianMTModel", Marian, ("torch", "transformers"), {}),
    ]
    for batch in sorted({task.size.sentences, min(32, task.size.sentences)}):
        for mkl in (False, True):
            options = {"mkl": mkl, "batch": batch}
            engines.append(("CTranslate2", CTranslate2, ("ctranslate2",), options))

    present = []
    absent = {}
    for name, engine, libraries, options in engines:
        missing = [library for library in libraries if find_spec(library) is None]
        if missing:
            absent[name] = missing
        else:
            present.append((name, engine, options))
    for name, missing in absent.items():
        needed = f'{" and ".join(missing)} missing: run  pip install -e ".[benchmarks]"'
        print(f"{name} is left out, {needed}", file=sys.stderr)

    if any(engine is CTranslate2 for _, engine, _ in present):
        in_fresh_process(save_ctranslate2, task.size, task.ctranslate2)
    return [Contestant(name, engine, task, **options) for name, engine, options in present]
