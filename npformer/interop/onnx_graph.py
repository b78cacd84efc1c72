"""The weights of an nn.Transformer out of the two graphs, encoder.onnx and decoder.onnx, that torch.onnx.export made.

A graph keeps names of biases and of what no product is taken with. Matrices lie in it transposed and under numbers, and
those of query, key and value may lie apart, so they are found by where they stand: next to a bias that has its name, or
on the way back from an output projection.
"""

from pathlib import Path

import numpy as np

from ..utils import InputError, import_optional

FILES = ("encoder.onnx", "decoder.onnx")
NUMBERED = "onnx::"  # the beginning of names that no module gave
PASSING = {"Reshape", "Transpose", "Mul", "Div", "Where", "Cast", "Unsqueeze", "Squeeze", "Identity", "Gather", "Slice"}


def read_onnx(folder: Path) -> dict[str, np.ndarray]:
    """Return the state dict of the module whose two columns are in a folder's encoder.onnx and decoder.onnx.

    Raises `InputError` when one is missing or damaged, or holds no weights of an nn.Transformer.
    """
    found = {}
    for name in FILES:
        if not (folder / name).is_file():
            raise InputError(f"{folder} has no {name}: expected a folder with {' and '.join(FILES)}")
        weights = Graph(folder / name).weights()
        if odd := [
            shared for shared in found.keys() & weights.keys() if not np.array_equal(found[shared], weights[shared])
        ]:
            raise InputError(f"{folder}: {min(odd)} differs in {' and '.join(FILES)}, which are not of one model")
        found |= weights
    return found


class Graph:
    """An ONNX graph: its arrays by name, and the node that makes each value."""

    def __init__(self, path: Path):
        self.path = path
        onnx = import_optional("onnx", "npformer[onnx]")
        base = str(path.parent)  # of files next to it that hold its larger arrays
        try:
            graph = onnx.load(str(path), load_external_data=False).graph
            self.arrays = {array.name: onnx.numpy_helper.to_array(array, base) for array in graph.initializer}
        except Exception as error:  # of protobuf, or whatever a damaged file leads to
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"{path} is damaged or no ONNX file: {why}") from None
        self.maker = {value: node for node in graph.node for value in node.output}
        self.nodes = graph.node

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights under the names that the state dict has them by."""
        found = {name: array for name, array in self.arrays.items() if not name.startswith(NUMBERED)}
        for node in self.nodes:
            bias, product = self.bias_and_product(node)
            weight = bias.removesuffix("bias") + "weight" if bias in found else None
            if weight and weight not in found and product.op_type == "MatMul":
                found[weight] = self.matrix(product).T
            attention, is_output, _ = (bias or "").partition("out_proj.bias")
            if is_output and f"{attention}in_proj_weight" not in found:
                found |= self.projections(product, attention)
        return found

    def projections(self, product, attention: str) -> dict[str, np.ndarray]:
        """Return the stacked matrices and biases of query, key and value, from the product with the output's."""
        heads = self.back(product.input[0])  # softmax(...) times the values
        scores = self.back(self.back(heads.input[0], "Softmax").input[0])  # queries times keys
        sums = [self.back(value, "Add") for value in (*scores.input, heads.input[1])]
        apart = [node for i, node in enumerate(sums) if node not in sums[:i]]  # some may lie together
        parts = [self.bias_and_product(node) for node in apart]
        return {
            f"{attention}in_proj_weight": np.concatenate([self.matrix(product).T for _, product in parts]),
            f"{attention}in_proj_bias": np.concatenate([self.arrays[bias] for bias, _ in parts]),
        }

    def bias_and_product(self, node):
        """Return the bias that a node adds to a product, by its name, and that product; or None twice."""
        if node.op_type == "Gemm" and len(node.input) == 3:
            return node.input[2], node
        if node.op_type == "Add":
            for bias, value in (node.input, reversed(node.input)):
                made = self.maker.get(value)
                if bias in self.arrays and made is not None and made.op_type == "MatMul":
                    return bias, made
        return None, None

    def matrix(self, product) -> np.ndarray:
        """Return the matrix (in, out) of a product."""
        if product is None or product.input[1] not in self.arrays:
            raise InputError(f"{self.path}: a product has no matrix where an nn.Transformer's would have one")
        transposed = any(attribute.name == "transB" and attribute.i for attribute in product.attribute)
        return self.arrays[product.input[1]].T if transposed else self.arrays[product.input[1]]

    def back(self, value: str, kind: str = "MatMul"):
        """Return the node of a kind that made a value, before it was reshaped, scaled or masked."""
        passing = PASSING | ({"Add"} if kind == "MatMul" else set())  # scores may have had a mask added
        while (node := self.maker.get(value)) is not None:
            if node.op_type == kind:
                return node
            makers = [i for i in node.input if i in self.maker and self.maker[i].op_type in passing | {kind, "MatMul"}]
            if node.op_type not in passing or not makers:
                break
            value = makers[-1] if node.op_type == "Where" else makers[0]
        raise InputError(
            f"{self.path} holds no nn.Transformer as torch.onnx.export writes it: no {kind} before {value}"
        )
