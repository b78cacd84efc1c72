"""A site for the browser: what JupyterLite writes, and what is refused."""

import subprocess
import sys

import pytest

from npformer.utils import InputError, MissingExtraError
from npformer_course.in_browser import site

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
