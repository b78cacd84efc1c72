"""The weights of an nn.Transformer in the two graphs that torch.onnx.export made.

A graph keeps the names of biases and embeddings. Other matrices are transposed and have numbers for
names: they are recognized by the bias that is added next, and those of query, key and value because
they precede an output projection.
"""

from pathlib import Path
from typing import Any

import numpy as np

from ..utils import InputError, import_optional

FILES = ("encoder.onnx", "decoder.onnx")
NUMBERED = "onnx::"  # the beginning of names that no module gave


def read_onnx(folder: Path) -> dict[str, np.ndarray]:
    """Return the state dict of the module whose two stacks are in a folder.

    Raises `InputError` where one is missing, damaged or of another kind, or they are of two models.

    Arguments:
        folder: The folder with encoder.onnx and decoder.onnx.
    """
    paths = [folder / name for name in FILES]
    if not all(path.is_file() for path in paths):
        raise InputError(
            f"{folder} is not a model of a known kind: "
            f"expected config.json, or {' and '.join(FILES)}"
        )
    onnx = import_optional("onnx", "npformer[onnx]")
    state: dict[str, np.ndarray] = {}
    for path in paths:
        weights = _read_graph(onnx, path)
        # an embedding matrix that both stacks share is in both graphs
        for name in state.keys() & weights.keys():
            if not np.array_equal(state[name], weights[name]):
                raise InputError(
                    f"{folder}: {name} differs in {' and '.join(FILES)}, which are not of one model"
                )
        state.update(weights)
    return state


def _read_graph(onnx: Any, path: Path) -> dict[str, np.ndarray]:
    """Return the weights of one file under the names that they have in the state dict."""
    try:
        graph = onnx.load(str(path), load_external_data=False).graph
        arrays = {}
        for array in graph.initializer:
            arrays[array.name] = onnx.numpy_helper.to_array(array, str(path.parent))
        return _weights_in(graph, arrays)
    except Exception as error:  # of protobuf, or whatever a damaged file leads to
        why = " ".join(str(error).split())
        raise InputError(
            f"{path} is damaged, or no ONNX file of an nn.Transformer: {why}"
        ) from None


def _weights_in(graph: Any, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the weights of a graph under the names that they have in the state dict.

    Arguments:
        graph: The graph, whose nodes are in the order in which they are computed.
        arrays: Its constants by name.
    """
    weights = {name: array for name, array in arrays.items() if not name.startswith(NUMBERED)}
    products = {}  # the matrix (out, in) of each product, by the name of what it computes
    # of query, key and value, which may be stacked
    projection_weights: list[np.ndarray] = []
    projection_biases: list[np.ndarray] = []
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in arrays:
            products[node.output[0]] = arrays[node.input[1]].T

        matrices = [products[value] for value in node.input if value in products]
        biases = [value for value in node.input if value in arrays]
        if node.op_type == "Add" and matrices and biases:
            module, is_named, _ = biases[0].rpartition(".bias")
            if is_named:
                weights[f"{module}.weight"] = matrices[0]
            else:
                # in_proj_bias, or a number: those of query, key and value, computed in this order
                projection_weights.append(matrices[0])
                projection_biases.append(arrays[biases[0]])

        # the output projection names the attention that the waiting projections are of
        outputs = [name for name in biases if name.endswith("out_proj.bias")]
        if outputs and projection_weights:
            attention = outputs[0].removesuffix("out_proj.bias")
            weights[f"{attention}in_proj_weight"] = np.concatenate(projection_weights)
            weights[f"{attention}in_proj_bias"] = np.concatenate(projection_biases)
            projection_weights = []
            projection_biases = []
    return weights
