import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from npformer import InputError, MissingExtraError, use_backend
from npformer.backend import on_gpu, to_device, to_host, xp

REFUSE_ALL_BUT_NUMPY = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ImportError(name + " is refused")

sys.meta_path.insert(0, Refuse())
import npformer
print(npformer.xp.library_name)
"""
EXTRAS = {"tqdm", "matplotlib", "safetensors", "sacrebleu", "cupy", "torch", "scipy"}


def run_python(code: str, monkeypatch, backend: str | None = None) -> subprocess.CompletedProcess:
    monkeypatch.delenv("NPFORMER_BACKEND", raising=False)
    if backend is not None:
        monkeypatch.setenv("NPFORMER_BACKEND", backend)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


@pytest.fixture
def no_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)


def test_numpy_is_the_default():
    use_backend("numpy")
    assert xp.library is np and not on_gpu()
    x = np.ones(3)
    assert to_device(x) is x and to_host(x) is x


@pytest.mark.parametrize("name", ["abacus", "NumPy", "", "torch"])
def test_unknown_backend_name_is_rejected(name):
    with pytest.raises(InputError) as caught:
        use_backend(name)
    assert str(caught.value) == f"backend {name!r} is unknown: expected 'numpy' or 'cupy'"


def test_missing_cupy_error_names_extra_to_install(no_cupy):
    with pytest.raises(MissingExtraError, match=r"npformer\[cuda12\]") as caught:
        use_backend("cupy")
    assert "\n" not in str(caught.value)


def test_missing_gpu_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(is_available=lambda: False))
    with pytest.raises(InputError, match="finds no GPU") as caught:
        use_backend("cupy")
    assert "\n" not in str(caught.value)


def test_environment_variable_selects_numpy(monkeypatch):
    for backend in (None, "", "numpy"):
        done = run_python("import npformer; print(npformer.xp.library_name)", monkeypatch, backend)
        assert (done.returncode, done.stdout.strip()) == (0, "numpy"), done.stderr


def test_environment_variable_with_missing_cupy_is_an_error(monkeypatch):
    done = run_python(
        "import sys; sys.modules['cupy'] = None; import npformer; npformer.xp.exp",
        monkeypatch,
        "cupy",
    )
    last_line = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert (
        "MissingExtraError: cupy is not installed" in last_line and "npformer[cuda12]" in last_line
    )


def test_import_requires_only_numpy(monkeypatch):
    done = run_python(REFUSE_ALL_BUT_NUMPY.format(names=EXTRAS), monkeypatch)
    assert (done.returncode, done.stdout.strip()) == (0, "numpy"), done.stderr
