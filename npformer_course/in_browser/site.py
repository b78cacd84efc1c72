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

PYODIDE = (
    "https://cdn.jsdelivr.net/pyodide/v0.27.7/full"  # the version for JupyterLite's kernel 0.5
)
PACKAGES = ["numpy", "matplotlib", "threadpoolctl"]  # of Pyodide
INSTALLED = ["npformer", "comm", "tqdm"]  # copied from here, because they are Python alone
RUN = "notebooks/index.html?path="  # this page runs the notebook whose name follows
KERNEL = "@jupyterlite/pyodide-kernel-extension"  # the other extensions of JupyterLab are not for students
UNUSED = "fa-*.[est]* fa-*.woff 142.* 6607.* 644.* 4708.* 7884.* 7674.* 3462.* 8010.*"  # old icons, Vega, terminals
UNUSED += " 4630.* 2324.* 1495.* 2241.* 7427.* 4780.* 7259.* 1261.* 3488.* 261.* 7010.* 9866.*"  # Mermaid; all are 6 MB


def write_site(
    out: Path,
    files: Mapping[str, bytes | str],
    *,
    title: str,
    offline: Path | None = None,
    modules: Sequence[Path] = (),
    libraries: Sequence[str] = (),
) -> None:
    """Write a folder in which the page RUN + name runs a notebook of `files`; it can import `modules` and `libraries`.

    Pyodide comes from the address PYODIDE or from a copy of the folder `offline`, libraries are copied from here, and
    the browser keeps what a student writes, by title. Raises `InputError` where `out` exists or a part is missing.
    """
    import_optional("jupyterlite_pyodide_kernel", "npformer[lite]")
    import_optional("jupyter_server", "npformer[lite]")  # JupyterLite lists `files` with it
    if out.exists():
        raise InputError(f"{out} exists already: name a new folder, or delete it")
    if offline and not (offline / "pyodide-lock.json").is_file():
        raise InputError(
            f"{offline} is not a distribution of Pyodide: expected pyodide-lock.json in it"
        )
    with TemporaryDirectory() as folder:
        lite = Path(folder)
        for name, content in files.items():
            make_folder((lite / "files" / name).parent)
            (lite / "files" / name).write_bytes(
                content.encode() if isinstance(content, str) else content
            )
        make_folder(lite / "wheels")
        for name in [*INSTALLED, *libraries]:
            _write_wheel(lite / "wheels", name, modules if name == "npformer" else ())
        wheels = [
            f"../../../../wheels/{path.name}" for path in sorted(lite.glob("wheels/*"))
        ]  # as the kernel sees it
        kernel = {
            "pyodideUrl": f"{'./pyodide' if offline else PYODIDE}/pyodide.js",
            "disablePyPIFallback": True,
        }
        kernel["loadPyodideOptions"] = {"packages": PACKAGES + wheels}
        page = {
            "appName": title,
            "contentsStorageName": title,
            "litePluginSettings": {f"{KERNEL}:kernel": kernel},
        }
        page["settingsOverrides"] = {
            "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True}
        }  # dark or light
        build = {
            "apps": ["notebooks"],
            "contents": ["files"],
            "output_dir": "out",
            "no_sourcemaps": True,
        }
        build |= {"no_unused_shared_packages": True, "ignore_sys_prefix": ["federated_extensions"]}
        build["federated_extensions"] = [
            str(Path(sys.prefix, "share/jupyter/labextensions", KERNEL))
        ]
        (lite / "jupyter-lite.json").write_text(json.dumps({"jupyter-config-data": page}))
        (lite / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": build}))
        done = run(
            [sys.executable, "-m", "jupyterlite_core", "build"],
            cwd=lite,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise InputError(
                f"JupyterLite: {(done.stderr.strip() or done.stdout.strip()).splitlines()[-1]}"
            )
        # without this list every page ends in "404", and JupyterLite only warns
        if not (lite / "out" / "api" / "contents" / "all.json").is_file():
            raise InputError(
                "JupyterLite wrote no list of the notebooks, api/contents/all.json: "
                'install its parts again,  pip install --force-reinstall "npformer[lite]"'
            )
        shutil.copytree(lite / "out", out, ignore=shutil.ignore_patterns(*UNUSED.split()))
        shutil.copytree(lite / "wheels", out / "wheels")
        if offline:
            shutil.copytree(offline, out / "pyodide")


def _write_wheel(folder: Path, name: str, modules: Sequence[Path]) -> None:
    """Write a wheel of a package as it is installed here, with some modules next to it."""
    installed = import_module(name)
    package, version = Path(str(installed.__file__)).parent, installed.__version__
    packages = [package]
    if name == "npformer":
        packages.append(Path(__file__).parents[1])  # npformer_course, of the same distribution
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(
        folder / f"{name}-{version}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED
    ) as wheel:
        for place in packages:
            for path in sorted(place.rglob("*.*")):
                if "__pycache__" not in path.parts and path.is_file():
                    wheel.write(path, path.relative_to(place.parent))
        for path in sorted(package.parent.glob(f"{info}/**/LICEN*")):
            if path.is_file():
                wheel.write(path, path.relative_to(package.parent))
        for path in modules:
            wheel.write(path, path.name)
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
