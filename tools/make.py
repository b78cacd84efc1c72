"""Run the notebooks and write their .ipynb again from the text: python tools/make.py [NAMES].

NN_name.py is what people edit; NN_name.ipynb is the same cells with what they print and draw. A
notebook that fails leaves its .ipynb as it was. Cells compute on one thread and, on x86, with
OpenBLAS's products for AVX2; the times of the cells, versions and random ids are left out. So a
second run writes the same text, except for the seconds that some notebooks measure.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from pathlib import Path

from npformer.utils.errors import InputError, import_optional
from npformer.utils.files import read_text, write_atomic

FOLDER = Path(__file__).parents[1] / "notebooks"
EXTRA = "npformer[notebooks]"
METADATA = {
    "jupytext": {"formats": "ipynb,py:percent"},
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
X86 = ("x86_64", "AMD64")
SECONDS = 120  # the most that a cell may take
HIDDEN = (
    "hide-input"  # the tag of a cell that only draws or checks: a page and Jupyter show it folded
)


def texts(names: list[str] | None = None, folder: Path = FOLDER) -> list[Path]:
    """Return the notebooks' .py files, in the order of the course; a name may be a number alone,
    such as 04 or 04b.

    Raises `InputError` when a name fits none.
    """
    every = sorted(folder.glob("[0-9][0-9]*_*.py"))
    chosen = set()
    for name in names or [""]:
        fitting = {path for path in every if path.stem.startswith(Path(name).stem)}
        if not fitting:
            raise InputError(
                f"no notebook is called {name!r}: expected {', '.join(path.stem for path in every)}"
            )
        chosen |= fitting
    return sorted(chosen)


def read(path: Path):
    """Return the notebook that a .py or .ipynb file holds, less all that differs from machine to
    machine.
    """
    kind = "py:percent" if path.suffix == ".py" else "ipynb"
    notebook = import_optional("jupytext", EXTRA).reads(read_text(path), fmt=kind)
    return cleaned(notebook)


def cleaned(notebook):
    """Bring a notebook into the form in which it is written: fixed metadata, and cells numbered
    in their order.
    """
    nbformat = import_optional("nbformat", EXTRA)
    cells = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            outputs = [output for output in cell.outputs if output.get("text") != ""]
            hidden = HIDDEN in cell.metadata.get("tags", [])
            metadata = {"tags": [HIDDEN], "jupyter": {"source_hidden": True}} if hidden else {}
            more = {
                "outputs": outputs,
                "execution_count": cell.execution_count,
                "metadata": metadata,
            }
            new = nbformat.v4.new_code_cell(cell.source, **more)
        else:
            new = nbformat.v4.new_markdown_cell(cell.source)
        cells.append({**new, "id": f"cell-{number:02}"})
    return nbformat.from_dict(
        {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    )


def executed(path: Path):
    """Return the notebook of a .py file after a run from top to bottom, in an empty folder, by
    this Python.

    Cells can import what is next to the .py file, as in Jupyter.

    Raises `nbclient.exceptions.CellExecutionError` when a cell fails.
    """
    return run(read(path), path.parent)


def run(notebook, beside: Path):
    """Return a notebook after a run, as `executed`; its cells can import what is in `beside`."""
    nbclient = import_optional("nbclient", EXTRA)
    manager = import_optional("jupyter_client.manager", EXTRA)
    # no kernels except ipykernel's own
    specs = import_optional("jupyter_client.kernelspec", EXTRA).KernelSpecManager(kernel_dirs=[])
    python_path = [str(beside.resolve())]
    if os.environ.get("PYTHONPATH"):
        python_path.append(os.environ["PYTHONPATH"])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(python_path),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        # freed pages stay
        "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
        "MALLOC_TRIM_THRESHOLD_": str(1 << 32),
    }
    if platform.machine() in X86:
        # OpenBLAS chooses its products by the processor, and they round differently
        environment["OPENBLAS_CORETYPE"] = "Haswell"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        client = nbclient.NotebookClient(
            notebook,
            km=manager.AsyncKernelManager(kernel_name="python3", kernel_spec_manager=specs),
            timeout=SECONDS,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": folder}},
        )
        client.execute(env={**environment, "IPYTHONDIR": home}, cleanup_kc=True)
    return cleaned(notebook)


def as_text(notebook) -> str:
    """Return the text of an .ipynb file."""
    return import_optional("nbformat", EXTRA).writes(notebook) + "\n"


def make(path: Path) -> Path:
    """Run a .py file and write its .ipynb, whole or not at all; return where."""
    target = path.with_suffix(".ipynb")
    write_atomic(target, as_text(executed(path)))
    return target


def main(arguments: list[str] | None = None, folder: Path = FOLDER) -> int:
    """Make the named notebooks, or all; return 1 when one failed and 2 when a name fits none."""
    parser = argparse.ArgumentParser(
        description="Run notebooks and write their .ipynb again from the .py."
    )
    parser.add_argument("names", nargs="*", help="such as 14 or 14_the_loss (default: all)")
    status = 0
    try:
        chosen = texts(parser.parse_args(arguments).names, folder)
        failures = import_optional("nbclient.exceptions", EXTRA)
        for path in chosen:
            try:
                print(make(path).name)
            except (
                failures.CellExecutionError,
                failures.CellTimeoutError,
                failures.DeadKernelError,
            ) as error:
                print(f"{path.name} failed, its .ipynb is as it was:\n{error}", file=sys.stderr)
                status = 1
    except InputError as error:
        print(f"make.py: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
