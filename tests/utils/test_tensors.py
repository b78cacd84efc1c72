import json
import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from npformer import InputError
from npformer.utils.safetensors_io import load_tensors, read_safetensors, save_tensors

TENSORS = {
    "weight": np.array([[1.5, -0.0, np.pi], [np.inf, 1e-45, 2.0]], "float32").T,
    "moment": np.array([0.1 + 0.2, 5e-324]),
    "step": np.array(7),
}
NOTE = {"epoch": 3, "state": 2**127 + 1, "word": "ä"}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.safetensors"
    save_tensors(path, TENSORS, NOTE)
    return path


def assert_as_saved(loaded):
    tensors, note = loaded
    assert note == NOTE
    assert tensors.keys() == TENSORS.keys()
    for name, array in TENSORS.items():
        assert (tensors[name].dtype, tensors[name].shape) == (array.dtype, array.shape)
        assert tensors[name].tobytes() == array.tobytes()


def refusal(path):
    with pytest.raises(InputError) as caught:
        load_tensors(path)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)
    return str(caught.value)


def test_arrays_and_note_round_trip_bit_for_bit(file):
    assert_as_saved(load_tensors(file))


@pytest.mark.parametrize("dtype", [">f4", "<f4", ">i8"])
def test_any_order_of_bytes_is_read_back(tmp_path, dtype):
    array = np.arange(6).astype(dtype).reshape(2, 3)
    save_tensors(tmp_path / "file.safetensors", {"w": array, "transposed": array.T})
    loaded, _ = load_tensors(tmp_path / "file.safetensors")
    np.testing.assert_array_equal(loaded["w"], array)
    np.testing.assert_array_equal(loaded["transposed"], array.T)


def test_arrays_without_a_note_have_an_empty_one(tmp_path):
    save_tensors(tmp_path / "arrays", {"step": np.array(7)})
    arrays, note = load_tensors(tmp_path / "arrays")
    assert (arrays, note) == ({"step": 7}, {})


def test_every_flipped_byte_is_detected(file):
    data = file.read_bytes()
    for place in range(len(data)):
        file.write_bytes(data[:place] + bytes([data[place] ^ 0x11]) + data[place + 1 :])
        try:
            loaded = load_tensors(file)
        except InputError as error:
            assert "\n" not in str(error)
        else:
            assert_as_saved(loaded)


def test_truncated_file_is_rejected(file):
    data = file.read_bytes()
    for length in (0, 1, 7, 8, 9, 100, len(data) - 60, len(data) - 1):
        file.write_bytes(data[:length])
        assert "is damaged" in refusal(file)


def test_missing_folder_or_foreign_file_is_rejected(tmp_path):
    assert "does not exist" in refusal(tmp_path / "missing.safetensors")
    assert "does not exist" in refusal(tmp_path)
    save_file({"weight": np.ones(3)}, tmp_path / "foreign.safetensors")
    assert "of another program: it has no checksum" in refusal(tmp_path / "foreign.safetensors")


@pytest.mark.parametrize("note", ["v1", "", "a b", f"{'0' * 64} v1", f"{'0' * 40} {{}}"])
def test_note_of_another_program_is_not_taken_for_ours(tmp_path, note):
    path = tmp_path / "foreign.safetensors"
    save_file({"weight": np.ones(3)}, path, {"note": note})
    arrays, ours = read_safetensors(path)
    assert ours is None and (arrays["weight"] == 1).all()
    assert "of another program: it has no checksum" in refusal(path)


@pytest.mark.parametrize("note", [[1], "epoch", 7])
def test_note_that_is_no_object_is_rejected(tmp_path, note):
    save_tensors(tmp_path / "crafted.safetensors", TENSORS, note)
    assert "is damaged" in refusal(tmp_path / "crafted.safetensors")


def test_failed_save_keeps_previous_file(file, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        save_tensors(file, {"weight": np.zeros(3)})
    monkeypatch.undo()
    assert_as_saved(load_tensors(file))
    assert list(file.parent.iterdir()) == [file]


def test_half_precision_of_other_programs_is_read(tmp_path):
    """An array of bfloat16, which is float32 here, between two of types that NumPy has."""
    half = np.array([[1.5, -2.0]], "<f2")
    whole = np.array([0.1, 3.0, 1e-45], "<f4")
    # the upper halves of 1, -2.5, infinity, the smallest number above 0 and 3.140625
    brain = np.array([0x3F80, 0xC020, 0x7F80, 0x0001, 0x4049, 0x8000], "<u2")
    parts = {
        "half": ("F16", [1, 2], half.tobytes()),
        "brain": ("BF16", [2, 3], brain.tobytes()),
        "one": ("BF16", [], brain[:1].tobytes()),
        "none": ("BF16", [0, 4], b""),
        "whole": ("F32", [3], whole.tobytes()),
    }
    header = {"__metadata__": {"format": "pt"}}
    content = b""
    for name, (dtype, shape, data) in parts.items():
        offsets = [len(content), len(content) + len(data)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        content += data
    text = json.dumps(header).encode()
    path = tmp_path / "theirs.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + content)

    arrays, note = read_safetensors(path)
    assert note is None
    assert (arrays["half"] == half).all() and arrays["half"].dtype == np.float16
    assert (arrays["whole"] == whole).all()
    assert arrays["brain"].dtype == arrays["one"].dtype == np.float32
    expected = [[1.0, -2.5, np.inf], [2.0**-133, 3.140625, -0.0]]
    assert arrays["brain"].tolist() == expected
    assert np.signbit(arrays["brain"][1, 2])
    assert (arrays["one"], arrays["none"].shape) == (1.0, (0, 4))


@pytest.fixture
def in_the_browser(monkeypatch):
    """In place of safetensors, the module that pages of the site use."""
    path = Path(__file__).parents[2] / "docs" / "browser" / "safetensors.py"
    spec = spec_from_file_location("safetensors", path)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "safetensors", module)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "safetensors.numpy", module)


def test_module_of_the_browser_writes_and_reads_the_same_files(in_the_browser, tmp_path):
    arrays = {"a": np.arange(6, dtype="float32").reshape(2, 3), "b": np.array([7])}
    save_tensors(tmp_path / "browser", arrays, {"step": 3})
    read, note = load_tensors(tmp_path / "browser")
    assert note == {"step": 3}
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype and (read[name] == array).all()
