"""Print how large npformer is: lines by package, and the files and functions that three commands execute.

python tests/budget.py
"""

import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CODE = ROOT / "npformer"
SMALL = "--epochs 1 --d-model 16 --d-ff 16 --n-heads 2 --batch-tokens 20000 --workers 1".split()

CORE = ("module.py", "backend.py", "layers/*.py", "models/*.py", "training/*.py", "decoding/*.py")
BUDGETS = {  # lines of Python
    "core": 4000,
    "all but classroom and datasets": 12500,
    "datasets": 2900,
    "stepper, with its verb": 750,
    "drawing of figure 1": 180,
    "classroom without exercises": 3600,
    "tests": 30000,
    "tests of the stepper": 1100,
    "longest file of layers": 100,
}
AIMS = {"train copy": (45, 200), "translate": (35, 130), "class check": (25, 90)}  # files and functions


def lines_of(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def lines_in(folder: Path) -> dict[Path, int]:
    """Return the lines of each Python file of a folder, by its path there."""
    return {path.relative_to(folder): lines_of(path) for path in sorted(folder.rglob("*.py"))}


def lines_by_package() -> dict[str, int]:
    """Return the lines of each package of npformer, and of the files next to them."""
    found = {}
    for path, lines in lines_in(CODE).items():
        package = path.parts[0] if len(path.parts) > 1 else "(files)"
        if path.parts[:2] in (("classroom", "exercises"), ("layers", "extra"), ("visualization", "stepper")):
            package = "/".join(path.parts[:2])
        if path.parts == ("cli", "step.py"):
            package = "visualization/stepper"
        if path.parts == ("visualization", "figure_1.py"):
            package = "visualization/figure_1.py"
        found[package] = found.get(package, 0) + lines
    return found


def sizes() -> dict[str, int]:
    """Return what BUDGETS limits."""
    by_package = lines_by_package()
    classroom = by_package["classroom"]
    tests = lines_in(ROOT / "tests")
    of_stepper = sum(n for path, n in tests.items() if re.search(r"/(stepper|test_step)", path.as_posix()))
    outside = ("classroom", "classroom/exercises", "datasets", "visualization/stepper", "visualization/figure_1.py")
    return {
        "core": sum(lines_of(path) for pattern in CORE for path in CODE.glob(pattern)),
        "all but classroom and datasets": sum(n for package, n in by_package.items() if package not in outside),
        "datasets": by_package["datasets"],
        "stepper, with its verb": by_package["visualization/stepper"],
        "drawing of figure 1": by_package["visualization/figure_1.py"],
        "classroom without exercises": classroom,
        "tests": sum(tests.values()) - of_stepper,
        "tests of the stepper": of_stepper,
        "longest file of layers": max(map(lines_of, (CODE / "layers").rglob("*.py"))),
    }


def executed(*arguments: str) -> tuple[int, int]:
    """Run a command in this process; return how many files and functions of npformer it executes."""
    from npformer.cli import main

    seen = set()

    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(str(CODE)):
            seen.add(frame.f_code)

    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(list(arguments))
    finally:
        sys.setprofile(None)
    functions = {code for code in seen if not code.co_name.startswith("<")}  # no modules, lambdas, comprehensions
    return len({code.co_filename for code in functions}), len(functions)


def flows() -> dict[str, tuple[int, int]]:
    """Return the files and functions that each command of AIMS executes."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        executed("train", "copy", "--run", "warm", *SMALL)  # what is imported and cached once does not count
        found["train copy"] = executed("train", "copy", "--run", "run", *SMALL)
        found["translate"] = executed("translate", "run", "1 2 3")
        executed("class", "start", "course")
        os.chdir("course")
        found["class check"] = executed("class", "check", "3")
        os.chdir(ROOT)
    return found


def main() -> None:
    for package, lines in sorted(lines_by_package().items(), key=lambda item: -item[1]):
        print(f"{package:34}{lines:8,}")
    print(f"\n{'':34}{'lines':>8}{'budget':>9}")
    for name, lines in sizes().items():
        print(f"{name:34}{lines:8,}{BUDGETS[name]:9,}{'  over' if lines > BUDGETS[name] else ''}")
    print(f"\n{'executed in':22}{'files':>8}{'aim':>6}{'functions':>12}{'aim':>6}")
    for command, (files, functions) in flows().items():
        most_files, most_functions = AIMS[command]
        print(f"{command:22}{files:8}{most_files:6}{functions:12}{most_functions:6}")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
