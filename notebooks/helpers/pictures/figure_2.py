"""The paper's figure 2 as SVG, drawn from an attention layer."""

from npformer.layers import MultiHeadAttention, SelfAttention
from npformer.visualization.figure_1 import GAP, Column, Figure


def figure_2(attention: MultiHeadAttention) -> Figure:
    """Draw what all heads compute, on the left, and the whole layer, on the right.

    Every arrow has its shape.

    >>> figure_2(MultiHeadAttention(8, 2))
    Figure('Figure 2: multi-head attention')
    """
    figure = Figure("Figure 2: multi-head attention", 770)
    _draw_heads(figure, attention)
    _draw_layer(figure, attention)
    return figure


def _length_of_keys(attention: MultiHeadAttention) -> str:
    return "T" if isinstance(attention, SelfAttention) else "S"


def _shape_of_heads(attention: MultiHeadAttention, kind: str, length: str) -> str:
    """Return the shape of the queries, keys or values of all heads."""
    n_heads = attention.n_heads
    width = getattr(attention, f"w_{kind}").weight.data.shape[1]
    return f"(B, {n_heads}, {length}, {width // n_heads})"


def _draw_heads(figure: Figure, attention: MultiHeadAttention) -> None:
    """Draw scaled dot-product attention, with V from the right."""
    n_heads = attention.n_heads
    length = _length_of_keys(attention)
    queries = _shape_of_heads(attention, "query", "T")
    keys = _shape_of_heads(attention, "key", length)
    values = _shape_of_heads(attention, "value", length)
    results = _shape_of_heads(attention, "value", "T")
    d_k = attention.w_key.weight.data.shape[1] // n_heads
    mask = "padding and future" if attention.attention.causal else "padding"

    column = Column(figure, 130, 1, "and", f"{queries} and {keys}")
    figure.text(105, 4, "Q", kind="query", bold=True)
    figure.text(155, 4, "K", kind="key", bold=True)
    scores = f"(B, {n_heads}, T, {length})"
    column.put("MatMul", "Q times K transposed", kind="position", shape=scores)
    column.put("Scale", f"divide by √{d_k}", kind="norm")
    column.put("Mask", mask, kind="embedding")
    column.put("Softmax", kind="softmax", name="attention.softmax")

    height = column.y + 53  # the middle of the next box
    figure.arrow((310, 20), (310, height), (column.x + 95, height), kind="value")
    figure.text(310, 4, "V", kind="value", bold=True)
    figure.text(317, 32, values, anchor="start", size=11, kind="shape")
    column.put("MatMul", "weights times V", kind="position", shape=results)
    figure.arrow((column.x, column.y), (column.x, column.y + GAP), label=results)


def _draw_layer(figure: Figure, attention: MultiHeadAttention) -> None:
    """Draw the projections, one box for all heads, and the output projection."""
    length = _length_of_keys(attention)
    results = _shape_of_heads(attention, "value", "T")
    column = Column(figure, 570, 1, "", results)
    _draw_projection(figure, attention, "value", length, x=450)
    _draw_projection(figure, attention, "key", length, x=570)
    _draw_projection(figure, attention, "query", "T", x=690)
    figure.box(
        570,
        156,
        "Scaled Dot-Product Attention",
        f"{attention.n_heads} heads",
        kind="attention",
        name="attention",
        shape=results,
        width=330,
    )

    column.y = 198  # the upper edge of this box
    width, d_model = attention.w_output.weight.data.shape
    column.put("Concat", "the heads side by side", kind="norm", shape=f"(B, T, {width})")
    column.put("Linear", kind="linear", name="w_output", shape=f"(B, T, {d_model})")
    figure.arrow((column.x, column.y), (column.x, column.y + GAP), label=column.shape)


def _draw_projection(
    figure: Figure, attention: MultiHeadAttention, kind: str, length: str, *, x: int
) -> None:
    """Draw the box of W^Q, W^K or W^V with the arrows to and from it, in the color of its role."""
    d_model, width = getattr(attention, f"w_{kind}").weight.data.shape
    figure.text(x, 4, kind[0].upper(), kind=kind, bold=True)
    figure.arrow((x, 20), (x, 52), label=f"(B, {length}, {d_model})", kind=kind)
    shape = f"(B, {length}, {width})"
    figure.box(x, 52, "Linear", kind="linear", name=f"w_{kind}", shape=shape, width=90)
    shape_of_heads = _shape_of_heads(attention, kind, length)
    figure.arrow((x, 94), (x, 156), label=shape_of_heads, kind=kind)
