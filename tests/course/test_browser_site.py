"""A site for the browser: what JupyterLite writes, and what is refused."""

import json
import logging
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import pytest
import tqdm

from npformer.utils import InputError, MissingExtraError
from npformer_course.course import load, stem
from npformer_course.files import student_notebook
from npformer_course.in_browser import hand_in, site

pytest.importorskip("jupyterlite_pyodide_kernel", reason='needs pip install -e ".[lite]"')


def test_site_without_jupyter_server_is_refused(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "jupyter_server", None)
    with pytest.raises(MissingExtraError, match=r"jupyter_server is not installed.*npformer\[lite"):
        site.write_site(tmp_path / "site", {"a.ipynb": "{}"}, title="A")
    assert not (tmp_path / "site").exists()


def test_site_without_a_list_of_its_notebooks_is_refused(monkeypatch, tmp_path):
    done = subprocess.CompletedProcess([], returncode=0, stdout="", stderr="")
    monkeypatch.setattr(site, "run", lambda *arguments, **settings: done)
    with pytest.raises(InputError, match=r"api/contents/all\.json"):
        site.write_site(tmp_path / "site", {"a.ipynb": "{}"}, title="A")
    assert not (tmp_path / "site").exists()


def test_release_as_site_without_jupyter_server_is_one_line(monkeypatch, tmp_path, refused):
    monkeypatch.setitem(sys.modules, "jupyter_server", None)
    release = ["course", "release", "--as", "site", "--set", "softmax", "--out", tmp_path / "site"]
    assert "jupyter_server is not installed" in refused(*release)


def done(status=0, out="", err=""):
    return subprocess.CompletedProcess([], returncode=status, stdout=out, stderr=err)


def files_below(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def without_import(monkeypatch):
    """Spare the time in which Jupyter is imported."""
    monkeypatch.setattr(site, "import_optional", lambda *names: None)


@pytest.mark.usefixtures("without_import")
def test_site_has_the_notebooks_the_wheels_and_pyodide(monkeypatch, tmp_path):
    def build(command, *, cwd, **settings):
        assert command == [sys.executable, "-m", "jupyterlite_core", "build"]
        built.update(files_below(cwd / "files"))
        for name in ("jupyter-lite.json", "jupyter_lite_config.json"):
            built[name] = json.loads((cwd / name).read_text())
        (cwd / "out" / "api" / "contents").mkdir(parents=True)
        (cwd / "out" / "api" / "contents" / "all.json").touch()
        (cwd / "out" / "fa-brands.ttf").touch()  # an icon that nobody sees
        return done()

    def write_wheel(folder, name, modules):
        (folder / f"{name}.whl").write_text(f"{list(modules)}")

    built = {}
    monkeypatch.setattr(site, "run", build)
    monkeypatch.setattr(site, "_write_wheel", write_wheel)
    pyodide = tmp_path / "pyodide"
    pyodide.mkdir()
    (pyodide / "pyodide-lock.json").touch()
    files = {"a.ipynb": "ä", "b/c": b"\xff"}
    more = {"offline": pyodide, "modules": ["own.py"], "libraries": ["numpy"]}
    site.write_site(tmp_path / "site", files, title="A class", **more)

    wheels = [f"{name}.whl" for name in ("comm", "npformer", "numpy", "tqdm")]
    assert files_below(tmp_path / "site") == {
        "api/contents/all.json": b"",
        "pyodide/pyodide-lock.json": b"",
        **{f"wheels/{name}": b"[]" for name in wheels},
        "wheels/npformer.whl": b"['own.py']",
    }
    assert (built["a.ipynb"], built["b/c"]) == ("ä".encode(), b"\xff")
    page = built["jupyter-lite.json"]["jupyter-config-data"]
    assert page["appName"] == page["contentsStorageName"] == "A class"
    assert page["litePluginSettings"][f"{site.KERNEL}:kernel"] == {
        "pyodideUrl": "./pyodide/pyodide.js",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "packages": [*site.PACKAGES, *(f"../../../../wheels/{name}" for name in wheels)],
            "env": {"PYTHONSTARTUP": site.STARTUP},
        },
    }
    settings = built["jupyter_lite_config.json"]["LiteBuildConfig"]
    assert (settings["contents"], settings["output_dir"]) == (["files"], "out")

    site.write_site(tmp_path / "loading", files, title="A class")
    page = built["jupyter-lite.json"]["jupyter-config-data"]
    [kernel] = page["litePluginSettings"].values()
    assert kernel["pyodideUrl"] == f"{site.PYODIDE}/pyodide.js"
    assert not (tmp_path / "loading" / "pyodide").exists()


@pytest.mark.usefixtures("without_import")
@pytest.mark.parametrize(
    ("place", "offline", "ended", "message"),
    [
        ("", None, done(), "exists already: name a new folder, or delete it"),
        ("site", "nowhere", done(), "nowhere is not a distribution of Pyodide: expected pyodide-"),
        ("site", None, done(1, "out\n", "first\nlast\n"), "^JupyterLite: last$"),
        ("site", None, done(1, "first\nout\n"), "^JupyterLite: out$"),
    ],
)
def test_site_that_cannot_be_written_is_said(monkeypatch, tmp_path, place, offline, ended, message):
    monkeypatch.setattr(site, "run", lambda *arguments, **settings: ended)
    monkeypatch.setattr(site, "_write_wheel", lambda *arguments: None)
    with pytest.raises(InputError, match=message):
        folder = tmp_path / offline if offline else None
        site.write_site(tmp_path / place, {}, title="A", offline=folder)
    assert not list(tmp_path.iterdir())


def test_wheel_has_the_package_as_it_is_installed(tmp_path):
    site._write_wheel(tmp_path, "tqdm", ())
    version = tqdm.__version__
    info = f"tqdm-{version}.dist-info"
    with zipfile.ZipFile(tmp_path / f"tqdm-{version}-py3-none-any.whl") as wheel:
        names = wheel.namelist()
        metadata = wheel.read(f"{info}/METADATA").decode()
    assert "tqdm/__init__.py" in names and not [name for name in names if "__pycache__" in name]
    assert metadata == f"Metadata-Version: 2.1\nName: tqdm\nVersion: {version}\n"
    assert names[-3:] == [f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD")]
    assert any("LICEN" in name for name in names)
    assert {name.partition("/")[0] for name in names} == {"tqdm", info}


def test_wheel_of_npformer_has_the_course_and_further_modules(monkeypatch, tmp_path):
    names = []
    monkeypatch.setattr(
        zipfile.ZipFile, "write", lambda archive, file, name: names.append(Path(name).as_posix())
    )
    site._write_wheel(tmp_path, "npformer", [tmp_path / "own.py"])
    assert {"npformer/__init__.py", "npformer_course/course.py", "own.py"} <= {*names}


def test_first_page_of_a_class_leads_to_its_exercises(monkeypatch, tmp_path):
    def write(out, files, **settings):
        out.mkdir(parents=True)
        written.append((out, files, settings))

    written = []
    monkeypatch.setattr(hand_in, "write_site", write)
    pages = hand_in.write_class_site(
        tmp_path, ["softmax", "heads"], title="A <b>", offline=tmp_path
    )
    assert pages == [tmp_path / "index.html"]
    [(out, files, settings)] = written
    assert (out, settings) == (tmp_path / "lite", {"title": "A <b>", "offline": tmp_path})
    names = [f"{stem(id)}.ipynb" for id in ("softmax", "heads")]
    assert list(files) == [*names, "progress.json", "hand_in.ipynb"]
    assert files[names[1]] == student_notebook(load("heads")) and files["progress.json"] == "{}\n"
    assert 'hand_in(\\"\\")' in files["hand_in.ipynb"]

    page = pages[0].read_text(encoding="utf-8")
    run = "lite/notebooks/index.html?path="
    links = [
        f'<li><a href="{run}{name}">{load(id).title}</a>'
        for name, id in zip(names, ("softmax", "heads"), strict=True)
    ]
    links = "\n".join(links)
    assert f"<h1>A &lt;b&gt;</h1><ul>{links}</ul>" in page
    assert f'<a href="{run}hand_in.ipynb">hand in</a>' in page


def test_message_on_fonts_is_not_shown_in_the_browser():
    import_module("npformer_course.in_browser.startup")
    logger = logging.getLogger("matplotlib.font_manager")

    def is_shown(text):
        return bool(logger.filter(logger.makeRecord("", logging.INFO, "", 0, text, (), None)))

    assert not is_shown("Matplotlib is building the font cache; this may take a moment.")
    assert is_shown("findfont: Font family 'x' not found.")
