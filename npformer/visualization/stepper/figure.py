"""Figure 1 of the paper with all layers of a model."""

from dataclasses import asdict, dataclass

from ...layers import Dropout, Embedding, FeedForward, Generator, LayerNorm, Linear, MultiHeadAttention, PreNorm
from ...layers.add_norm import AddNorm
from ...layers.loss import LabelSmoothingLoss
from ...module import Module


@dataclass
class Box:
    """A box: the layer that it stands for and other layers that belong to it. `stack` is its column, the encoder's 0.

    `residual` says that a residual connection goes around the box below into this one, `memory` that it reads the
    encoder's output. `layer` is the name of the layer of the stack that it is in.
    """

    label: str
    color: str
    modules: list[str]
    stack: int
    layer: str = ""
    residual: bool = False
    memory: bool = False


def boxes_of(modules: dict[str, Module]) -> list[dict]:
    """Return the boxes from bottom to top, for layers by name."""
    has_both = any(name.startswith("decoder.") for name in modules) and "encoder" in modules
    found, closed = [], ()
    for name, module in modules.items():
        if name.startswith(closed) if closed else False:
            continue
        boxes = _boxes_of_layer(name, module, has_both)
        if boxes:
            closed = (*closed, f"{name}.")
        for box in boxes:
            box.stack = int(has_both and not name.startswith("encoder"))
            parts = name.split(".")
            box.layer = ".".join(parts[:3]) if parts[1:2] == ["layers"] else ""
            found.append(box)
    return [asdict(box) for box in found]


def _boxes_of_layer(name: str, module: Module, has_both: bool) -> list[Box]:
    if isinstance(module, AddNorm):
        sublayer = Box(*_label(module.sublayer, name, has_both), [f"{name}.sublayer"], 0)
        sublayer.memory = "cross_attention" in name
        norm = f"{name}.norm"
        if isinstance(module, PreNorm):
            add = Box("Add", "norm", [name, f"{name}.dropout"], 0, residual=True)
            return [Box("Norm", "norm", [norm], 0), sublayer, add]
        return [sublayer, Box("Add & Norm", "norm", [name, norm, f"{name}.dropout"], 0, residual=True)]
    if isinstance(module, Dropout) or len(module.named_modules()) > 1:
        return []
    return [Box(*_label(module, name, has_both), [name], 0)]


def _label(module: Module, name: str, has_both: bool) -> tuple[str, str]:
    """Return what figure 1 writes into the box of a layer, and the name of its color."""
    if isinstance(module, MultiHeadAttention):
        masked = "Masked " if getattr(module.attention, "causal", False) else ""
        return f"{masked}Multi-Head Attention", "attention"
    if isinstance(module, Embedding):
        return "Output Embedding" if has_both and name.startswith("decoder") else "Input Embedding", "embedding"
    known = {FeedForward: ("Feed Forward", "feed"), LayerNorm: ("Norm", "norm"), Generator: ("Linear", "linear")}
    known |= {Linear: ("Linear", "linear"), LabelSmoothingLoss: ("Softmax, Loss", "softmax")}
    for kind, label in known.items():
        if isinstance(module, kind):
            return label
    if name.endswith(".positions"):
        return "Positional Encoding", "positions"
    return type(module).__name__, "other"
