"""A folder for any web space: notebooks that run in the browser, by JupyterLite and Pyodide."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

from npformer.utils.errors import InputError, import_optional
from npformer.utils.files import make_folder

# the version for JupyterLite's kernel 0.6
PYODIDE = "https://cdn.jsdelivr.net/pyodide/v0.27.7/full"
PACKAGES = ["numpy", "matplotlib", "threadpoolctl"]  # of Pyodide
STARTUP = "/lib/python3.12/site-packages/npformer_course/in_browser/startup.py"  # in Pyodide
INSTALLED = ["npformer", "comm", "tqdm"]  # copied from here, because they are Python alone
RUN = "notebooks/index.html?path="  # this page runs the notebook whose name follows
# the other extensions of JupyterLab are not for students
KERNEL = "@jupyterlite/pyodide-kernel-extension"
UNUSED = (  # 8 MB of JupyterLite 0.6: old icons, Vega, terminals, Mermaid
    "fa-*.[est]* fa-*.woff 142.* 6607.* 644.* 4708.* 7884.* 7674.* 3462.* 8010.* "
    "9310.* 3207.* 4406.* 3197.* 1736.* 2425.* 2913.* 310.* 2453.* 1950.* 4499.* "
    "145.* 2409.* 4886.* 6873.* 4276.* 6491.*"
).split()


def write_site(
    out: Path,
    files: Mapping[str, bytes | str],
    *,
    title: str,
    offline: Path | None = None,
    modules: Sequence[Path] = (),
    libraries: Sequence[str] = (),
) -> None:
    """Write a folder in which the page RUN + name runs a notebook.

    Arguments:
        out: the folder
        files: the notebooks and what is next to them, by name
        title: of the pages; the browser keeps what a student writes by it
        offline: a distribution of Pyodide to be copied (default: pages load it from PYODIDE)
        modules: files that a notebook can import
        libraries: installed libraries that it can import too

    Raises `InputError` where `out` exists or a part is missing.
    """
    import_optional("jupyterlite_pyodide_kernel", "npformer[lite]")
    import_optional("jupyter_server", "npformer[lite]")  # JupyterLite lists `files` with it
    if out.exists():
        raise InputError(f"{out} exists already: name a new folder, or delete it")
    if offline and not (offline / "pyodide-lock.json").is_file():
        raise InputError(
            f"{offline} is not a distribution of Pyodide: expected pyodide-lock.json in it"
        )

    # in a temporary folder, so that a build that fails leaves nothing in `out`
    with TemporaryDirectory() as folder:
        lite = Path(folder)
        _write_files(lite / "files", files)
        make_folder(lite / "wheels")
        for name in [*INSTALLED, *libraries]:
            if name == "npformer":
                _write_wheel(lite / "wheels", name, modules)
            else:
                _write_wheel(lite / "wheels", name, ())
        pyodide = "./pyodide" if offline else PYODIDE
        _write_settings(lite, title, pyodide)
        _build(lite)
        shutil.copytree(lite / "out", out, ignore=shutil.ignore_patterns(*UNUSED))
        shutil.copytree(lite / "wheels", out / "wheels")
        if offline:
            shutil.copytree(offline, out / "pyodide")


def _write_files(folder: Path, files: Mapping[str, bytes | str]) -> None:
    for name, content in files.items():
        make_folder((folder / name).parent)
        if isinstance(content, str):
            content = content.encode()
        (folder / name).write_bytes(content)


def _write_settings(lite: Path, title: str, pyodide: str) -> None:
    """Write JupyterLite's two files of settings: of the pages, and of the build."""
    # the wheels as the kernel sees them
    wheels = [f"../../../../wheels/{path.name}" for path in sorted(lite.glob("wheels/*"))]
    kernel = {
        "pyodideUrl": f"{pyodide}/pyodide.js",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "packages": PACKAGES + wheels,
            "env": {"PYTHONSTARTUP": STARTUP},
        },
    }
    dark_or_light = {"@jupyterlab/apputils-extension:themes": {"adaptive-theme": True}}
    page = {
        "appName": title,
        "contentsStorageName": title,
        "litePluginSettings": {f"{KERNEL}:kernel": kernel},
        "settingsOverrides": dark_or_light,
    }
    extension = Path(sys.prefix, "share/jupyter/labextensions", KERNEL)
    build = {
        "apps": ["notebooks"],
        "contents": ["files"],
        "output_dir": "out",
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "ignore_sys_prefix": ["federated_extensions"],
        "federated_extensions": [str(extension)],
    }
    (lite / "jupyter-lite.json").write_text(json.dumps({"jupyter-config-data": page}))
    (lite / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": build}))


def _build(lite: Path) -> None:
    """Let JupyterLite write the folder `out`. Raises `InputError` where it fails."""
    command = [sys.executable, "-m", "jupyterlite_core", "build"]
    done = run(command, cwd=lite, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip()
        raise InputError(f"JupyterLite: {said.splitlines()[-1]}")
    # without this list every page ends in "404", and JupyterLite only warns
    if not (lite / "out" / "api" / "contents" / "all.json").is_file():
        raise InputError(
            "JupyterLite wrote no list of the notebooks, api/contents/all.json: "
            'install its parts again,  pip install --force-reinstall "npformer[lite]"'
        )


def _write_wheel(folder: Path, name: str, modules: Sequence[Path]) -> None:
    """Write a wheel of a package as it is installed here, with some modules next to it."""
    installed = import_module(name)
    package = Path(str(installed.__file__)).parent
    packages = [package]
    if name == "npformer":
        packages.append(Path(__file__).parents[1])  # npformer_course, of the same distribution
    version = installed.__version__
    info = f"{name}-{version}.dist-info"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for place in packages:
            for file in sorted(place.rglob("*.*")):
                if "__pycache__" not in file.parts and file.is_file():
                    wheel.write(file, file.relative_to(place.parent))
        for file in sorted(package.parent.glob(f"{info}/**/LICEN*")):
            if file.is_file():
                wheel.write(file, file.relative_to(package.parent))
        for file in modules:
            wheel.write(file, file.name)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
