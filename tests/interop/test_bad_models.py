"""Files that are damaged, partial or of another kind, and models that ours cannot be: one clear
line each.
"""

import pickle
import sys

import numpy as np
import pytest
from safetensors.numpy import save

import npformer as npf

from .conftest import SAID

QKV = "transformer.encoder.layers.0.self_attn.in_proj_weight"


@pytest.fixture
def refused_file(refused, vocabularies, tmp_path):
    """Import a file, or nothing where content is None, and return the one line; no folder may be
    left.
    """

    def run(name, content, *more):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        said = {**SAID, **vocabularies}
        options = [
            text
            for option, value in said.items()
            for text in (f"--{option.replace('_', '-')}", value)
        ]
        line = refused("import", path, tmp_path / "run", *options, *more)
        assert name in line
        assert not (tmp_path / "run").exists()
        return line

    return run


def without(arrays, *endings):
    return {name: array for name, array in arrays.items() if not name.endswith(endings)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a: without(a, "0.linear1.weight"), "lack encoder.layers.0.linear1.weight"),
        (
            lambda a: a | {"more.weight": np.ones((2, 3), "float32")},
            "unexpected arrays more.weight (2, 3): remove those",
        ),
        (
            lambda a: a | {QKV: a[QKV][:-1]},
            f"{QKV[12:]} has the shape (47, 16): expected 3 matrices or vectors, stacked",
        ),
        (
            lambda a: a | {QKV: a[QKV][:, :-1]},
            "weights do not fit this Transformer, such as encoder.layers.0.self_attention",
        ),
        (
            lambda a: a | {QKV: a[QKV][..., None]},
            f"{QKV[12:]} has the shape (48, 16, 1): expected 3 matrices or vectors, stacked",
        ),
        (
            lambda a: a | {f"more.{i}": np.ones(3, "float32") for i in range(5)},
            "unexpected arrays more.0 (3,), more.1 (3,), more.2 (3,), more.3 (3,): remove those",
        ),
        (lambda a: a | {QKV: a[QKV] * np.float32("nan")}, f"{QKV} contains NaN or infinity"),
        (lambda a: a | {QKV: a[QKV] + np.float32("inf")}, f"{QKV} contains NaN or infinity"),
        (lambda a: a | {QKV: a[QKV] - np.float32("inf")}, f"{QKV} contains NaN or infinity"),
        (  # called like positions, but without d_model features
            lambda a: without(a, "positions.weight") | {"pos_scale": np.ones(3, "float32")},
            "unexpected arrays pos_scale (3,): remove those",
        ),
        (
            lambda a: a | {QKV: np.array(1, "float32")},
            f"{QKV} has the type float32 and the shape (): expected floats",
        ),
        (
            lambda a: a | {QKV: a[QKV].astype("int64")},
            f"{QKV} has the type int64 and the shape (48, 16): expected floats",
        ),
        (
            lambda a: a | {"generator.bias": a["generator.bias"][:1]},
            "target.txt has 12 tokens, the bias of the output projection has 1 rows: give the",
        ),
        (
            lambda a: a | {"generator.weight": a["generator.weight"][1:]},
            "unexpected arrays generator.bias (12,)",
        ),
        (
            lambda a: a | {"source_embedding.weight": a["source_embedding.weight"][1:]},
            "source.txt has 12 tokens, source_embedding.weight has 11 rows: give the",
        ),
        (lambda a: without(a, ".norm.weight", ".norm.bias") | some_norm(a), "do not fit"),
        (
            lambda a: {n: x for n, x in a.items() if ".decoder." not in n},
            "these weights lack decoder.layers.0",
        ),
        (lambda a: {"a": np.ones(2, "float32")}, "expected one nn.Transformer"),
        (
            lambda a: a | {f"two.{n}": x for n, x in a.items()},
            "there are ['transformer.', 'two.transformer.']",
        ),
    ],
)
def test_unexpected_arrays_are_rejected(refused_file, their_arrays, change, said):
    assert said in refused_file("model.safetensors", safetensors(change(their_arrays())))


def some_norm(arrays):
    return {
        name: array
        for name, array in arrays.items()
        if name.startswith("transformer.encoder.norm.")
    }


def safetensors(arrays):
    # not ascontiguousarray, which gives a number an axis
    return save({name: np.array(array, order="C") for name, array in arrays.items()})


@pytest.mark.parametrize("ending", ["safetensors", "pt", "bin", ""])
@pytest.mark.parametrize(
    "content", [b"", b"a text\n", b"PK\x03\x04", b"\x80\x02.", b"{}", bytes(100)]
)
def test_file_of_unknown_format_is_rejected(refused_file, ending, content):
    if ending != "safetensors":
        pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')
    assert "damaged" in refused_file(f"model.{ending}", content)


@pytest.mark.parametrize("share", [0.001, 0.01, 0.3, 0.9, 0.9999])
def test_truncated_safetensors_file_is_rejected(refused_file, their_arrays, share):
    content = safetensors(their_arrays())
    assert "damaged" in refused_file("model.safetensors", content[: int(share * len(content))])


def first_rows(path, vocabularies):
    """Return the rows of ordinary source tokens, which keep their order."""
    return npf.interop.load(
        path, **SAID, **vocabularies
    ).model.encoder.input_embedding.embedding.table.data[4:]


def test_type_that_numpy_does_not_have_is_refused_by_name(refused_file):
    header = b'{"generator.weight":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}}'
    content = len(header).to_bytes(8, "little") + header + bytes(8)
    line = refused_file("a.safetensors", content)
    assert "numbers of a type that NumPy does not have" in line
    assert "does not have: F8_E4M3." in line
    assert "damaged" not in line


def test_missing_source_is_rejected(refused_file):
    assert "does not exist: give a file or folder, nothing is downloaded" in refused_file(
        "model.pt", None
    )


def test_folder_without_model_is_rejected(refused_file, tmp_path):
    (tmp_path / "folder").mkdir()
    assert "folder is not a model of a known kind: expected config.json" in refused_file(
        "folder", None
    )


def test_npformer_run_folder_is_rejected(refused, trained_run, tmp_path):
    line = refused("import", trained_run, tmp_path / "run")
    assert f"{trained_run} is a run folder of npformer: npformer.load reads it" in line


def test_option_of_another_format_is_rejected(refused_file, their_arrays):
    assert "a.safetensors as nn.Transformer has unknown scale" in refused_file(
        "a.safetensors", safetensors(their_arrays()), "--scale", "emb"
    )


def test_existing_run_is_kept(refused, imported, their_arrays, run_copy, tmp_path):
    before = (run_copy / "config.json").read_bytes()
    assert "holds a run already" in refused("import", tmp_path / "nothing.pt", run_copy)
    assert (run_copy / "config.json").read_bytes() == before


def test_imported_file_is_not_overwritten(refused, tmp_path):
    file = tmp_path / "weights.safetensors"
    file.write_text("theirs")
    assert f"{file} would be overwritten" in refused("import", file, tmp_path)
    assert file.read_text() == "theirs"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "v.txt",
            "",
            "v.txt is not a vocabulary: expected one token per line, or as JSON a list of tokens or a dict",
        ),
        ("v.txt", "a\nb\na\n", "v.txt is not a vocabulary: it has the token 'a' 2 times"),
        ("v.json", '{"a": 0, "b": 2}', "v.json is not a vocabulary: expected one token"),
        ("v.json", "[1, 2]", "v.json is not a vocabulary: expected one token"),
        ("v.json", '["a", ""]', "v.json is not a vocabulary: expected one token"),
        ("v.json", '{"a": 0, "b": true}', "v.json is not a vocabulary: expected one token"),
        (
            "v.txt",
            "<pad>\n<unk>\n<s>\n</s>\na\n",
            "v.txt has 5 tokens, source_embedding.weight has 12 rows: give the vocabulary that",
        ),
    ],
)
def test_file_that_is_not_a_matching_vocabulary_is_rejected(
    refused_import, their_arrays, tmp_path, name, text, said
):
    (tmp_path / name).write_text(text)
    line = refused_import(their_arrays(), source_vocabulary=str(tmp_path / name))
    assert said in line


# what the arrays of `npformer export` are called in other modules, and which of them is named
RENAMED = {
    "exported": ({}, "source_embedding.weight", "target_embedding.weight"),
    "by their sides": (
        {"source_embedding": "src_emb", "target_embedding": "tgt_emb", "generator": "out"},
        "src_emb.weight",
        "tgt_emb.weight",
    ),
}


@pytest.mark.parametrize(("names", "source", "target"), RENAMED.values(), ids=RENAMED)
def test_vocabulary_of_another_length_is_named_with_its_array(
    refused_import, their_arrays, write_tokens, names, source, target
):
    arrays = {}
    for name, array in their_arrays().items():
        first, _, rest = name.partition(".")
        arrays[f"{names.get(first, first)}.{rest}"] = array
    # a file of tokens that is cut off or too long: special ones and 7 or 9 others
    for n_others in (7, 9):
        path = write_tokens(["<pad>", "<unk>", "<s>", "</s>", *"abcdefghi"[:n_others]])
        counts = f"own.txt has {n_others + 4} tokens"
        line = refused_import(arrays, source_vocabulary=path)
        assert f"{counts}, {source} has 12 rows: give the vocabulary that the model" in line
        line = refused_import(arrays, target_vocabulary=path)
        assert f"{counts}, {target} has 12 rows: give the vocabulary that the model" in line


def test_vocabularies_in_each_others_place_are_named(
    refused_import, their_arrays, vocabularies, write_tokens
):
    """The source's tokens are as many as the target's array has rows, and the reverse."""
    arrays = their_arrays()
    arrays["source_embedding.weight"] = arrays["source_embedding.weight"][:8]
    line = refused_import(
        arrays,
        source_vocabulary=vocabularies["target_vocabulary"],
        target_vocabulary=write_tokens(["<pad>", "<unk>", "<s>", "</s>", *"abcd"]),
    )
    assert "target.txt has 12 tokens, source_embedding.weight has 8 rows" in line


def test_matrices_without_telling_names_are_all_named(refused_import, their_arrays, write_tokens):
    arrays = without(their_arrays(), "source_embedding.weight")
    arrays["words.weight"] = arrays.pop("target_embedding.weight")
    path = write_tokens(["<pad>", "<unk>", "<s>", "</s>", "a"])
    line = refused_import(arrays, source_vocabulary=path, target_vocabulary=path)
    assert "own.txt has 5 tokens, generator.weight has 12 rows, words.weight has 12 rows:" in line


class Code:
    """What a pickle may hold besides numbers."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")  # makes the file, where it is unpickled


@pytest.mark.parametrize("how", ["torch.save", "torch.save, old", "pickle"])
def test_code_in_a_pickle_is_not_executed(refused_file, tmp_path, how):
    torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')
    content = {"a": torch.ones(2), "code": Code(tmp_path / "was here")}
    path = tmp_path / "model.pt"
    if how == "pickle":
        path.write_bytes(pickle.dumps(content))
    else:
        torch.save(content, path, _use_new_zipfile_serialization=how == "torch.save")
    line = refused_file("model.pt", None)
    assert (
        "is damaged, or neither a .safetensors file nor one of torch.save that holds tensors alone"
        in line
    )
    assert not (tmp_path / "was here").exists()
    pickle.loads(pickle.dumps(Code(tmp_path / "was here"))).close()
    assert (tmp_path / "was here").exists()  # as it would have been


@pytest.mark.parametrize("nested", [None, "state_dict", "model_state_dict", "model"])
def test_state_dict_may_be_nested_in_a_checkpoint(their_arrays, tmp_path, vocabularies, nested):
    torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')
    tensors = {
        name: torch.tensor(np.ascontiguousarray(array)) for name, array in their_arrays().items()
    }
    torch.save({nested: tensors, "epoch": 3} if nested else tensors, tmp_path / "a.ckpt")
    expected = their_arrays()["source_embedding.weight"]
    assert (first_rows(tmp_path / "a.ckpt", vocabularies) == expected[4:]).all()


def test_tensor_larger_than_its_file_is_rejected(refused_file, tmp_path):
    """One number that is repeated by a stride of 0 claims 8 GiB in a file of 2 kB."""
    torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')
    torch.save({"a": torch.zeros(1).expand(2**31)}, tmp_path / "a.pt")
    assert (tmp_path / "a.pt").stat().st_size < 2000
    line = refused_file("a.pt", None)
    assert "a.pt: a claims 8,589,934,592 bytes, more than the file has, because it" in line
    assert "damaged" not in line


class Zeros:
    """What a pickle may hold to take memory: a bytearray of 8 GB."""

    def __reduce__(self):
        return bytearray, (8 * 10**9,)


@pytest.mark.parametrize("zipped", [True, False])
def test_bytearray_is_refused_before_it_is_made(refused_file, tmp_path, monkeypatch, zipped):
    torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')
    content = {"a": torch.zeros(2), "b": Zeros()}
    torch.save(content, tmp_path / "a.pt", _use_new_zipfile_serialization=zipped)
    loaded = []
    monkeypatch.setattr(torch, "load", lambda *args, **how: loaded.append(args))
    assert "holds tensors alone" in refused_file("a.pt", None)
    assert loaded == []


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_precision_of_torch_becomes_float32(their_arrays, tmp_path, vocabularies, kind):
    torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')
    tensors = {}
    for name, array in their_arrays().items():
        tensors[name] = torch.tensor(np.ascontiguousarray(array)).to(getattr(torch, kind))
    torch.save(tensors, tmp_path / "a.pt")
    found = first_rows(tmp_path / "a.pt", vocabularies)
    assert found.dtype == np.float32
    assert (found == tensors["source_embedding.weight"][4:].float().numpy()).all()


@pytest.mark.parametrize("kind", ["number", "sparse", "float8_e4m3fn"])
def test_checkpoint_without_state_dict_is_rejected(refused_file, tmp_path, kind):
    torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')
    content = {"epoch": 3}
    if kind == "sparse":
        content = {"a": torch.eye(2).to_sparse()}
    elif kind != "number":
        content = {"a": torch.ones(2).to(getattr(torch, kind))}
    torch.save(content, tmp_path / "a.pt")
    assert (
        "holds no state dict: expected dense tensors by name, or such a dict under 'state_dict'"
        in refused_file("a.pt", None)
    )


def test_torch_file_without_torch_is_rejected(refused, vocabularies, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch", None)
    (tmp_path / "model.pt").write_bytes(b"PK\3\4")
    said = ("--source-vocabulary", vocabularies["source_vocabulary"])
    line = refused("import", tmp_path / "model.pt", tmp_path / "run", *said)
    assert 'torch is not installed: run  pip install "npformer[torch]"' in line
