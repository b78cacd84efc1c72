"""How long `import npformer` takes, as a multiple of `import numpy`: fresh processes in turns, medians.

python tests/benchmarks/import_time.py [TURNS]
"""

import statistics
import subprocess
import sys
import time

STATEMENTS = {
    "import numpy": "import numpy",
    "import npformer": "import npformer",
    "and a Transformer": "import npformer; npformer.Transformer, npformer.TransformerConfig",
    "and all to train one": "import npformer; npformer.Transformer, npformer.tasks, npformer.training",
}


def seconds(statement: str) -> float:
    """Return what a statement adds to the start of Python."""
    code = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    found = {name: [] for name in STATEMENTS}
    start = time.perf_counter()
    for _ in range(turns):
        for name, statement in STATEMENTS.items():
            found[name].append(seconds(statement))
    medians = {name: statistics.median(times) for name, times in found.items()}
    for name, median in medians.items():
        print(f"{name:22}{1000 * median:7.1f} ms{median / medians['import numpy']:7.2f} times import numpy")
    print(f"{turns} turns, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
