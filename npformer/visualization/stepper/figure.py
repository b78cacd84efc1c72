"""Figure 1 of the paper with all layers of a model."""

from ...layers import (
    Dropout,
    Embedding,
    FeedForward,
    Generator,
    LabelSmoothingLoss,
    LayerNorm,
    Linear,
    MultiHeadAttention,
    PreNorm,
    RMSNorm,
    SwiGLU,
)
from ...layers.add_norm import AddNorm
from ...module import Module

# in figure 1, and the name of the color there
LABELS = {
    FeedForward: ("Feed Forward", "feed"),
    SwiGLU: ("Feed Forward", "feed"),
    LayerNorm: ("Norm", "norm"),
    RMSNorm: ("Norm", "norm"),
    Generator: ("Linear", "linear"),
    Linear: ("Linear", "linear"),
    LabelSmoothingLoss: ("Softmax, Loss", "softmax"),
}


def boxes_of(modules: dict[str, Module]) -> list[dict]:
    """Return the boxes from bottom to top, for layers by name.

    A box has the entries

        label, color  what is written into it, and the name of its color
        modules       the layer that it stands for, and others that belong to it
        stack         its column, the encoder's 0
        layer         the layer of the stack that it is in
        residual      whether a residual connection goes around the box below into this one
        memory        whether it reads the encoder's output
    """
    has_both = "encoder" in modules and "decoder" in modules
    found = []
    closed: tuple[str, ...] = ()  # what is in a box already
    for name, module in modules.items():
        # its parts are in the box of the layer that they belong to
        if closed and name.startswith(closed):
            continue
        boxes = _boxes_of_layer(name, module, has_both)
        if boxes:
            closed = (*closed, f"{name}.")
        parts = name.split(".")
        is_in_layer = len(parts) > 1 and parts[1] == "layers"
        for box in boxes:
            box["stack"] = int(has_both and parts[0] != "encoder")
            box["layer"] = ".".join(parts[:3]) if is_in_layer else ""
            found.append(box)
    return found


def _boxes_of_layer(name: str, module: Module, has_both: bool) -> list[dict]:
    """Return the boxes of a layer, none where its parts have boxes of their own."""
    if isinstance(module, AddNorm):
        label = _label(module.sublayer, name, has_both)
        sublayer = _box(label, f"{name}.sublayer", memory="cross_attention" in name)
        norm = f"{name}.norm"
        dropout = f"{name}.dropout"
        if isinstance(module, PreNorm):
            add = _box(("Add", "norm"), name, dropout, residual=True)
            return [_box(LABELS[LayerNorm], norm), sublayer, add]
        return [sublayer, _box(("Add & Norm", "norm"), name, norm, dropout, residual=True)]
    if isinstance(module, Dropout) or len(module.named_modules()) > 1:
        return []
    return [_box(_label(module, name, has_both), name)]


def _box(
    label: tuple[str, str], *modules: str, residual: bool = False, memory: bool = False
) -> dict:
    """Return a box."""
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
        is_causal = getattr(module.attention, "causal", False)
        masked = "Masked " if is_causal else ""
        return f"{masked}Multi-Head Attention", "attention"
    if isinstance(module, Embedding):
        if has_both and name.startswith("decoder"):
            return "Output Embedding", "embedding"
        return "Input Embedding", "embedding"
    if name.endswith(".positions"):
        return "Positional Encoding", "other"
    for kind, label in LABELS.items():
        if isinstance(module, kind):
            return label
    return type(module).__name__, "other"
