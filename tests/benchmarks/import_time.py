"""How long `import npformer` takes, and commands until they have answered: fresh processes in turns, medians.

python tests/benchmarks/import_time.py [TURNS [RUN]]

Of statements it is what they add to the start of Python, of commands the whole process; its processor time too, for
that hardly hangs on what else the machine does. RUN is a run to translate with, as from

npformer train dates --epochs 1 --run RUN

Modules are compiled before the first turn that counts. What an editable install adds to the start of every Python
(`pip install -e`: its finder needs pathlib and importlib.util) is in all rows, that of `pass` too.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

STATEMENTS = {
    "import numpy": "import numpy",
    "import npformer": "import npformer",
    "and a Transformer": "import npformer; npformer.Transformer, npformer.TransformerConfig",
    "and all to train one": "import npformer; npformer.Transformer, npformer.tasks, npformer.training",
}
NPFORMER = [sys.executable, "-m", "npformer"]
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    'python -c "import numpy"': [sys.executable, "-c", "import numpy"],
    "npformer --help": [*NPFORMER, "--help"],
    "npformer train --help": [*NPFORMER, "train", "--help"],
    "npformer translate --help": [*NPFORMER, "translate", "--help"],
    "npformer class --help": [*NPFORMER, "class", "--help"],
    "npformer class list": [*NPFORMER, "class", "list"],
}
SENTENCE = "Tuesday, December 25, 2074"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def answered(command: list[str], folder: Path | None = None) -> str:
    """Run a command and return what it prints."""
    how = {"check": True, "capture_output": True, "text": True, "cwd": folder, "env": ENVIRONMENT}
    return subprocess.run(command, stdin=subprocess.DEVNULL, **how).stdout


def seconds(statement: str) -> float:
    """Return what a statement adds to the start of Python."""
    code = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"
    return float(answered([sys.executable, "-c", code]))


def seconds_of(command: list[str], folder: Path) -> tuple[float, float]:
    """Return how long a command takes, and how long processors work for it."""
    before, start = os.times(), time.perf_counter()
    answered(command, folder)
    took, after = time.perf_counter() - start, os.times()
    return took, sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    commands = dict(COMMANDS)
    if len(sys.argv) > 2:
        commands["npformer translate RUN ..."] = [*NPFORMER, "translate", str(Path(sys.argv[2]).resolve()), SENTENCE]
    statements, processes = {name: [] for name in STATEMENTS}, {name: [] for name in commands}
    start = time.perf_counter()
    with TemporaryDirectory() as folder:
        exercises = Path(folder, "exercises")
        answered([*NPFORMER, "class", "start", str(exercises)])
        for _ in range(1 + turns):
            for name, statement in STATEMENTS.items():
                statements[name].append(seconds(statement))
            for name, command in commands.items():
                processes[name].append(seconds_of(command, exercises))
    medians = {name: statistics.median(times[1:]) for name, times in statements.items()}
    for name, median in medians.items():
        print(f"{name:28}{1000 * median:7.1f} ms{median / medians['import numpy']:7.2f} times import numpy")
    for name, times in processes.items():
        took, worked = (1000 * statistics.median(kind) for kind in zip(*times[1:], strict=True))
        print(f"{name:28}{took:7.1f} ms{worked:7.1f} ms of processors")
    print(f"{turns} turns, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
