"""tools/make.py writes a notebook whole or not at all, and twice the same."""

import pytest

pytestmark = pytest.mark.notebooks
GOOD = "# %% [markdown]\n# # A title\n\n# %% tags=[\"hide-input\"]\nprint('one')\nprint('two')\n\n# %%\n6 * 7\n"
BAD = "# %%\nassert 1 == 2\n"


def test_notebook_output_is_written_and_reproducible(maker, tmp_path):
    text = tmp_path / "01_good.py"
    text.write_text(GOOD)
    assert maker.main([], folder=tmp_path) == 0
    first = (tmp_path / "01_good.ipynb").read_bytes()
    notebook = maker.read(tmp_path / "01_good.ipynb")
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "code", "code"]
    assert notebook.cells[1].outputs[0].text == "one\ntwo\n"
    assert [cell.metadata.get("jupyter") for cell in notebook.cells] == [
        None,
        {"source_hidden": True},
        None,
    ]
    assert notebook.cells[2].outputs[0].data["text/plain"] == "42"
    assert str(tmp_path) not in first.decode()
    maker.make(text)
    assert (tmp_path / "01_good.ipynb").read_bytes() == first


def test_failing_notebook_is_unchanged_and_next_is_built(maker, tmp_path, capsys):
    (tmp_path / "01_bad.py").write_text(BAD)
    (tmp_path / "01_bad.ipynb").write_text("as it was")
    (tmp_path / "02_good.py").write_text(GOOD)
    assert maker.main([], folder=tmp_path) == 1
    assert "01_bad.py failed" in capsys.readouterr().err
    assert (tmp_path / "01_bad.ipynb").read_text() == "as it was"
    assert (tmp_path / "02_good.ipynb").exists()


def test_names(maker, tmp_path, capsys):
    for name in ("01_good.py", "02b_other.py", "make.py"):
        (tmp_path / name).write_text(GOOD)
    assert [path.name for path in maker.texts(None, tmp_path)] == ["01_good.py", "02b_other.py"]
    assert [path.name for path in maker.texts(["02", "01_good.py"], tmp_path)] == [
        "01_good.py",
        "02b_other.py",
    ]
    assert maker.main(["03"], folder=tmp_path) == 2
    assert "no notebook is called '03': expected 01_good, 02b_other" in capsys.readouterr().err


def test_cells_run_on_one_thread_in_empty_folder(maker, tmp_path):
    text = tmp_path / "01_where.py"
    text.write_text("# %%\nimport os\nprint(os.environ['OPENBLAS_NUM_THREADS'], os.listdir())\n")
    assert maker.executed(text).cells[0].outputs[0].text == "1 []\n"
