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
    "classroom without exercises": 3600,
    "tests": 30000,
    "longest file of layers": 100,
}
SINCE_2017 = r"npformer/layers/extra/(rms_norm|rotary_positions|swiglu|grouped_query_attention)\.py"
ADDED = {  # capabilities with budgets of their own: paths below the root, their lines, and those of their tests
    "step debugger": (r"npformer/(visualization/stepper/|cli/step\.py)", 820, r"tests/.*/(stepper|test_step)", 1120),
    "layers since 2017": (SINCE_2017, 330, r"tests/.*since_2017", 200),
    "step debugger of the classroom": (
        *(r"npformer/(classroom/step/|cli/classroom/step\.py)", 411),
        *(r"tests/(.*classroom/test_class_step|browser/test_step_of_answers|benchmarks/where_it)", 352),
    ),
    "drawing of figure 1": (r"npformer/visualization/figure_1\.py", 180, None, 0),
    "course in the browser": (
        *(r"npformer/classroom/in_browser/", 200),
        *(r"tests/(browser/(test_)?course_|benchmarks/in_browser)", 350),
    ),
}
AIMS = {"train copy": (45, 200), "translate": (35, 130), "class check": (25, 90)}  # files and functions


def lines_of(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def lines_in(folder: str) -> dict[str, int]:
    """Return the lines of each Python file of a folder, by its path below the root."""
    return {path.relative_to(ROOT).as_posix(): lines_of(path) for path in sorted((ROOT / folder).rglob("*.py"))}


def lines_by_part() -> dict[str, int]:
    """Return the lines of each package, of the files next to them, of each added capability, and of the tests."""
    found = {}
    for path, lines in (lines_in("npformer") | lines_in("tests")).items():
        folders = path.split("/")[:-1]
        part = "tests" if folders[0] == "tests" else folders[1] if len(folders) > 1 else "(files)"
        if folders[1:3] in (["classroom", "exercises"], ["layers", "extra"]):
            part = "/".join(folders[1:3])
        for name, (code, _, tests, _) in ADDED.items():
            if re.match(code, path):
                part = name
            elif tests and re.match(tests, path):
                part = f"tests of {name}"
        found[part] = found.get(part, 0) + lines
    return found


def budgets() -> dict[str, int]:
    """Return the budget of everything that has one."""
    added = {name: most for name, (_, most, _, _) in ADDED.items()}
    return BUDGETS | added | {f"tests of {name}": most for name, (_, _, tests, most) in ADDED.items() if tests}


def sizes() -> dict[str, int]:
    """Return the lines of everything that has a budget."""
    parts = lines_by_part()
    outside = {"classroom", "classroom/exercises", "datasets", "tests", *(name for name in budgets() if name in parts)}
    sums = {
        "core": sum(lines_of(path) for pattern in CORE for path in CODE.glob(pattern)),
        "all but classroom and datasets": sum(lines for part, lines in parts.items() if part not in outside),
        "classroom without exercises": parts["classroom"],
        "longest file of layers": max(map(lines_of, (CODE / "layers").rglob("*.py"))),
    }
    return sums | {name: parts[name] for name in budgets() if name in parts}


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
    for part, lines in sorted(lines_by_part().items(), key=lambda item: -item[1]):
        print(f"{part:34}{lines:8,}")
    print(f"\n{'':34}{'lines':>8}{'budget':>9}")
    for name, most in budgets().items():
        lines = sizes()[name]
        print(f"{name:34}{lines:8,}{most:9,}{'  over' if lines > most else ''}")
    print(f"\n{'executed in':22}{'files':>8}{'aim':>6}{'functions':>12}{'aim':>6}")
    for command, (files, functions) in flows().items():
        most_files, most_functions = AIMS[command]
        print(f"{command:22}{files:8}{most_files:6}{functions:12}{most_functions:6}")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
