"""The weights of an nn.Transformer in the two graphs, encoder.onnx and decoder.onnx, that torch.onnx.export made.

A graph keeps the names of biases and embeddings. Other matrices are transposed and have numbers for names: they are
recognized by the bias that is added next, and those of query, key and value because they precede an output projection.
"""

from pathlib import Path

import numpy as np

from ..utils import InputError, import_optional

FILES = ("encoder.onnx", "decoder.onnx")
NUMBERED = "onnx::"  # the beginning of names that no module gave


def read_onnx(folder: Path) -> dict[str, np.ndarray]:
    """Return the state dict of the module whose two stacks are in a folder's encoder.onnx and decoder.onnx.

    Raises `InputError` where one is missing, damaged or of another kind, or they are of two models.
    """
    if not all((folder / name).is_file() for name in FILES):
        raise InputError(
            f"{folder} is not a model of a known kind: expected config.json, or {' and '.join(FILES)}"
        )
    onnx, state = import_optional("onnx", "npformer[onnx]"), {}
    for path in (folder / name for name in FILES):
        try:
            graph = onnx.load(str(path), load_external_data=False).graph
            arrays = {
                array.name: onnx.numpy_helper.to_array(array, str(folder))
                for array in graph.initializer
            }
            weights = _weights_in(graph, arrays)
        except Exception as error:  # of protobuf, or whatever a damaged file leads to
            why = " ".join(str(error).split()) or type(error).__name__
            raise InputError(
                f"{path} is damaged, or no ONNX file of an nn.Transformer: {why}"
            ) from None
        for name in state.keys() & weights.keys():
            if not np.array_equal(state[name], weights[name]):
                raise InputError(
                    f"{folder}: {name} differs in {' and '.join(FILES)}, which are not of one model"
                )
        state |= weights
    return state


def _weights_in(graph, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the weights of a graph under the names that they have in the state dict."""
    weights = {name: array for name, array in arrays.items() if not name.startswith(NUMBERED)}
    products = {}  # the matrix (out, in) of each product, by the name of what it computes
    projections = []  # (matrix, bias) of query, key and value, which may be stacked
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in arrays:
            products[node.output[0]] = arrays[node.input[1]].T
        matrices = [products[value] for value in node.input if value in products]
        biases = [value for value in node.input if value in arrays]
        if node.op_type == "Add" and matrices and biases:
            module, is_named, _ = biases[0].rpartition(".bias")
            if is_named:
                weights[f"{module}.weight"] = matrices[0]
            else:  # in_proj_bias, or a number
                projections.append((matrices[0], arrays[biases[0]]))
        attention = [
            name.removesuffix("out_proj.bias") for name in biases if name.endswith("out_proj.bias")
        ]
        if attention and projections:
            for name, parts in zip(
                ("in_proj_weight", "in_proj_bias"), zip(*projections, strict=True), strict=True
            ):
                weights[attention[0] + name] = np.concatenate(parts)
            projections = []
    return weights
