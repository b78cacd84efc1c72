"""The graphs that torch.onnx.export makes of a module hold its weights, and other graphs are
refused.
"""

import warnings

import numpy as np
import pytest

from npformer import InputError
from npformer.interop.read_onnx import read_onnx

onnx = pytest.importorskip("onnx", reason='onnx is missing: pip install -e ".[parity]"')
torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')


class SingleStack(torch.nn.Module):
    """One column of a module with an nn.Transformer, under the name that it has in the state
    dict.
    """

    def __init__(self, module, decodes):
        super().__init__()
        self.m, self.decodes = module, decodes

    def forward(self, ids, memory=None):
        x = self.m.table(ids) * 4.0
        if not self.decodes:
            return self.m.net.encoder(x, src_key_padding_mask=ids == 0)
        future = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).triu(1)
        return self.m.generator(self.m.net.decoder(x, memory, tgt_mask=future))


def module_of(**settings):
    torch.manual_seed(0)
    module = torch.nn.Module()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="enable_nested_tensor")
        module.net = torch.nn.Transformer(16, 4, 1, 2, 24, 0.0, batch_first=True, **settings)
    module.table, module.generator = torch.nn.Embedding(12, 16), torch.nn.Linear(16, 12)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return module.eval()


def export(module, folder):
    ids, memory = torch.tensor([[1, 2, 4, 6]]), torch.randn(1, 4, 16)
    how = {"dynamo": False, "opset_version": 17}
    fastpath = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(SingleStack(module, False), (ids,), str(folder / "encoder.onnx"), **how)
        torch.onnx.export(
            SingleStack(module, True), (ids, memory), str(folder / "decoder.onnx"), **how
        )
    torch.backends.mha.set_fastpath_enabled(fastpath)


@pytest.mark.long
@pytest.mark.parametrize("settings", [{}, {"norm_first": True}, {"activation": "gelu"}])
def test_onnx_weights_equal_module_weights(tmp_path, settings):
    module = module_of(**settings)
    export(module, tmp_path)
    found = read_onnx(tmp_path)
    expected = {f"m.{name}": tensor.numpy() for name, tensor in module.state_dict().items()}
    assert found.keys() == expected.keys()
    assert all(np.array_equal(found[name], array) for name, array in expected.items())


def graph_of(nodes, arrays):
    """Return a model of ONNX: each node is an operation, its inputs and the name of its output."""
    helper = onnx.helper
    made = [helper.make_node(kind, inputs.split(), [output]) for kind, inputs, output in nodes]
    constants = [onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()]
    return helper.make_model(helper.make_graph(made, "graph", [], [], initializer=constants))


def test_matrices_are_named_by_their_biases_and_output_projections(tmp_path):
    rng = np.random.default_rng(0)
    shapes = {
        "onnx::Mul_1": (),
        "onnx::Add_2": (5, 4),
        "onnx::MatMul_3": (4, 4),
        "onnx::Add_4": (4,),
        "onnx::MatMul_5": (4, 4),
        "m.attention.in_proj_bias": (4,),
        "onnx::MatMul_6": (4, 4),
        "m.attention.out_proj.bias": (4,),
        "onnx::MatMul_7": (4, 3),
        "m.linear.bias": (3,),
        "onnx::MatMul_8": (3, 3),
        "m.norm.weight": (3,),
        "m.norm.bias": (3,),
        "onnx::MatMul_9": (3, 2),
        "onnx::Add_10": (2,),
        "onnx::MatMul_11": (2, 3),
        "m.next.out_proj.bias": (3,),
    }
    arrays = {name: rng.normal(size=shape).astype("float32") for name, shape in shapes.items()}
    nodes = [
        # embeddings times sqrt(d_model), and positions: neither is a matrix of a Linear
        ("Mul", "ids onnx::Mul_1", "scaled"),
        ("Add", "scaled onnx::Add_2", "x"),
        ("MatMul", "x onnx::MatMul_3", "xq"),
        ("Add", "xq onnx::Add_4", "q"),
        ("MatMul", "x onnx::MatMul_5", "xk"),
        ("Add", "m.attention.in_proj_bias xk", "k"),
        ("MatMul", "q k", "scores"),
        ("Softmax", "scores", "heads"),
        ("MatMul", "heads onnx::MatMul_6", "xo"),
        ("Add", "m.attention.out_proj.bias xo", "o"),
        ("MatMul", "o onnx::MatMul_7", "xl"),
        ("Add", "m.linear.bias xl", "y"),
        # without a bias, multiplied by a number, and with a residual connection
        ("MatMul", "y onnx::MatMul_8", "z"),
        ("Mul", "z onnx::Mul_1", "scaled_z"),
        ("Add", "y z", "sum"),
        ("Mul", "sum m.norm.weight", "normalized"),
        ("Add", "normalized m.norm.bias", "out"),
        ("MatMul", "out onnx::MatMul_9", "xv"),
        ("Add", "xv onnx::Add_10", "v"),
        ("MatMul", "v onnx::MatMul_11", "xp"),
        ("Add", "m.next.out_proj.bias xp", "p"),
    ]
    for name in ("encoder.onnx", "decoder.onnx"):
        onnx.save(graph_of(nodes, arrays), tmp_path / name)

    of_projections = [arrays["onnx::MatMul_3"].T, arrays["onnx::MatMul_5"].T]
    of_biases = [arrays["onnx::Add_4"], arrays["m.attention.in_proj_bias"]]
    expected = {
        "m.attention.in_proj_weight": np.concatenate(of_projections),
        "m.attention.in_proj_bias": np.concatenate(of_biases),
        "m.attention.out_proj.weight": arrays["onnx::MatMul_6"].T,
        "m.attention.out_proj.bias": arrays["m.attention.out_proj.bias"],
        "m.linear.weight": arrays["onnx::MatMul_7"].T,
        "m.linear.bias": arrays["m.linear.bias"],
        "m.norm.weight": arrays["m.norm.weight"],
        "m.norm.bias": arrays["m.norm.bias"],
        "m.next.in_proj_weight": arrays["onnx::MatMul_9"].T,
        "m.next.in_proj_bias": arrays["onnx::Add_10"],
        "m.next.out_proj.weight": arrays["onnx::MatMul_11"].T,
        "m.next.out_proj.bias": arrays["m.next.out_proj.bias"],
    }
    found = read_onnx(tmp_path)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)


def test_graphs_of_two_models_are_rejected(tmp_path):
    for name, number in (("encoder.onnx", 1), ("decoder.onnx", 2)):
        arrays = {"m.table.weight": np.full((3, 2), number, "float32")}
        onnx.save(graph_of([], arrays), tmp_path / name)
    with pytest.raises(InputError, match="weight differs in encoder"):
        read_onnx(tmp_path)


def test_missing_or_damaged_graph_is_named(tmp_path):
    onnx.save(graph_of([], {}), tmp_path / "encoder.onnx")
    expected = "known kind: expected config.json, or encoder.onnx and decoder.onnx$"
    with pytest.raises(InputError, match=expected):
        read_onnx(tmp_path)
    (tmp_path / "decoder.onnx").write_bytes(b"\xff" * 9)
    expected = r"decoder.onnx is damaged, or no ONNX file of an nn.Transformer: [^\n]+\Z"
    with pytest.raises(InputError, match=expected):
        read_onnx(tmp_path)


def test_string_tensor_is_rejected(refused, vocabularies, tmp_path):
    texts = onnx.helper.make_tensor("m.words", onnx.TensorProto.STRING, [2], [b"a", b"b"])
    product = onnx.helper.make_node("MatMul", ["x", "m.words"], ["y"])
    for name in ("encoder.onnx", "decoder.onnx"):
        graph = onnx.helper.make_graph([product], "graph", [], [], initializer=[texts])
        onnx.save(onnx.helper.make_model(graph), tmp_path / name)
    said = ["--source-vocabulary", vocabularies["source_vocabulary"], "--embedding-scale", "1"]
    line = refused("import", tmp_path, tmp_path / "run", *said)
    assert "m.words has the type object and the shape (2,): expected floats" in line


@pytest.mark.long
@pytest.mark.parametrize("content", [b"", b"no graph", bytes(99)])
@pytest.mark.parametrize("name", ["encoder.onnx", "decoder.onnx"])
def test_file_that_is_not_a_graph_is_named(refused, vocabularies, tmp_path, name, content):
    export(module_of(), tmp_path)
    (tmp_path / name).write_bytes(content)
    said = ["--source-vocabulary", vocabularies["source_vocabulary"], "--embedding-scale", "1"]
    line = refused("import", tmp_path, tmp_path / "run", *said)
    assert (
        name in line
        or "expected one nn.Transformer" in line
        or "these weights lack decoder.layers.0" in line
    )
