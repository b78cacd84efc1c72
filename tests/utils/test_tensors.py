import os

import numpy as np
import pytest
from safetensors.numpy import save_file

from npformer import InputError
from npformer.utils.safetensors_io import load_tensors, save_tensors

TENSORS = {
    "weight": np.array([[1.5, -0.0, np.pi], [np.inf, 1e-45, 2.0]], "float32"),
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
    assert "does not match its checksum" in refusal(tmp_path / "foreign.safetensors")


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
