"""Every file is written whole or not at all: nothing but utils/files.py opens one for writing, or
lets others do so.

What a student's code is asked and answers passes through files of a temporary folder that is gone
with it.
"""

import ast
from pathlib import Path

import npformer

ROOT = Path(npformer.__file__).parent
OPENING = {"open", "fdopen", "TemporaryFile", "NamedTemporaryFile", "mkstemp", "memmap"}
WRITING = {
    "write_text",
    "write_bytes",
    "touch",
    "dump",
    "savez",
    "savez_compressed",
    "savetxt",
    "tofile",
}
WRITING |= {
    "save_file",
    "copyfile",
    "copy2",
    "copytree",
    "move",
    "np.save",
    "numpy.save",
    "xp.save",
}


def writes(source):
    """Return the calls in a Python text that write a file, or may."""
    found = []
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call):
            continue
        called = ast.unparse(call.func)
        name = called.rpartition(".")[2]
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        modes = [value.value for value in given if isinstance(value, ast.Constant)]
        reads = name == "open" and any(mode in ("r", "rb", "rt") for mode in modes)
        # which is bytes in memory
        drawn_to_a_file = name == "savefig" and ast.unparse(call.args[0]) != "content"
        if (name in OPENING and not reads) or {name, called} & WRITING or drawn_to_a_file:
            found.append(ast.unparse(call))
    return found


def test_only_utils_files_opens_files_for_writing():
    found = {
        path.relative_to(ROOT.parent).as_posix().removeprefix("npformer/"): writes(
            path.read_text("utf-8")
        )
        for path in (*ROOT.rglob("*.py"), *(ROOT.parent / "npformer_course").rglob("*.py"))
    }
    between_processes = {
        "npformer_course/sandbox/runner.py",
        "npformer_course/sandbox/worker.py",
        "npformer_course/scoring/worker.py",
        "cli/main.py",
        "cli/standard_streams.py",
    }
    between_processes |= {"runs/lock.py"}  # a lock
    # for JupyterLite, in a temporary folder
    between_processes |= {"npformer_course/in_browser/site.py"}
    assert {name for name, calls in found.items() if calls} == {
        "utils/files.py",
        *between_processes,
    }, found
