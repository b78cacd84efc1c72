"""Figure 1 of the paper with all layers of a model."""

from ...layers import (
    Dropout,
    Embedding,
    FeedForward,
    Generator,
    LayerNorm,
    Linear,
    MultiHeadAttention,
    PreNorm,
)
from ...layers.add_norm import AddNorm
from ...layers.loss import LabelSmoothingLoss
from ...module import Module

# in figure 1, and the name of the color there
LABELS = {
    FeedForward: ("Feed Forward", "feed"),
    LayerNorm: ("Norm", "norm"),
    Generator: ("Linear", "linear"),
}
LABELS |= {Linear: ("Linear", "linear"), LabelSmoothingLoss: ("Softmax, Loss", "softmax")}


def boxes_of(modules: dict[str, Module]) -> list[dict]:
    """Return the boxes from bottom to top, for layers by name.

    `modules` of a box are the layer that it stands for and others that belong to it. `stack` is its column, the
    encoder's 0, and `layer` the layer of the stack that it is in. `residual` says that a residual connection goes
    around the box below into this one, `memory` that it reads the encoder's output.
    """
    has_both = "encoder" in modules and "decoder" in modules
    found, closed = [], ()
    for name, module in modules.items():
        if closed and name.startswith(closed):
            continue
        if boxes := _boxes_of_layer(name, module, has_both):
            closed = (*closed, f"{name}.")
        parts = name.split(".")
        layer = ".".join(parts[:3]) if parts[1:2] == ["layers"] else ""
        found += [
            {"stack": int(has_both and parts[0] != "encoder"), "layer": layer, **box}
            for box in boxes
        ]
    return found


def _boxes_of_layer(name: str, module: Module, has_both: bool) -> list[dict]:
    if isinstance(module, AddNorm):
        sublayer = _box(
            _label(module.sublayer, name, has_both),
            f"{name}.sublayer",
            memory="cross_attention" in name,
        )
        if isinstance(module, PreNorm):
            add = _box(("Add", "norm"), name, f"{name}.dropout", residual=True)
            return [_box(LABELS[LayerNorm], f"{name}.norm"), sublayer, add]
        return [
            sublayer,
            _box(("Add & Norm", "norm"), name, f"{name}.norm", f"{name}.dropout", residual=True),
        ]
    if isinstance(module, Dropout) or len(module.named_modules()) > 1:
        return []
    return [_box(_label(module, name, has_both), name)]


def _box(
    label: tuple[str, str], *modules: str, residual: bool = False, memory: bool = False
) -> dict:
    return {
        "label": label[0],
        "color": label[1],
        "modules": modules,
        "residual": residual,
        "memory": memory,
    }


def _label(module: Module, name: str, has_both: bool) -> tuple[str, str]:
    """Return what figure 1 writes into the box of a layer, and the name of its color."""
    if isinstance(module, MultiHeadAttention):
        return (
            f"{'Masked ' * getattr(module.attention, 'causal', False)}Multi-Head Attention",
            "attention",
        )
    if isinstance(module, Embedding):
        return (
            f"{'Output' if has_both and name.startswith('decoder') else 'Input'} Embedding",
            "embedding",
        )
    if name.endswith(".positions"):
        return "Positional Encoding", "other"
    known = (label for kind, label in LABELS.items() if isinstance(module, kind))
    return next(known, (type(module).__name__, "other"))
