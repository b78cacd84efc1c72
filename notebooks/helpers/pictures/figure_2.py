"""The paper's figure 2 as SVG, drawn from an attention layer."""

from npformer.layers import MultiHeadAttention, SelfAttention
from npformer.visualization.figure_1 import GAP, Column, Figure


def figure_2(attention: MultiHeadAttention) -> Figure:
    """Draw what all heads compute, on the left, and the whole layer, on the right, with the shapes on every arrow.

    >>> figure_2(MultiHeadAttention(8, 2))
    Figure('Figure 2: multi-head attention')
    """
    length, n_heads = "T" if isinstance(attention, SelfAttention) else "S", attention.n_heads
    widths = {kind: getattr(attention, f"w_{kind}").weight.data.shape for kind in ("query", "key", "value", "output")}
    (d_model, all_keys), all_values = widths["key"], widths["value"][1]
    heads = f"(B, {n_heads}, T, {all_values // n_heads})"
    figure = Figure("Figure 2: multi-head attention", 760)

    queries, keys, values = (
        f"(B, {n_heads}, {axis}, {widths[kind][1] // n_heads})"
        for axis, kind in (("T", "query"), (length, "key"), (length, "value"))
    )
    left = Column(figure, 130, 1, "Q and K", f"{queries} and {keys}")
    left.put("MatMul", "Q times K transposed", kind="position", shape=f"(B, {n_heads}, T, {length})")
    left.put("Scale", f"divide by √{all_keys // n_heads}", kind="norm")
    left.put("Mask", "padding and future" if attention.attention.causal else "padding", kind="embedding")
    left.put("Softmax", kind="softmax", name="attention.softmax")
    figure.arrow((310, 20), (310, left.y + 53), (left.x + 95, left.y + 53))
    figure.text(310, 4, "V")
    figure.text(317, 32, values, anchor="start", size=11, kind="shape")
    left.put("MatMul", "weights times V", kind="position", shape=heads)
    figure.arrow((left.x, left.y), (left.x, left.y + GAP), label=heads)

    right = Column(figure, 570, 1, "", heads)
    for x, letter, kind, axis, split in (
        (450, "V", "value", length, values),
        (570, "K", "key", length, keys),
        (690, "Q", "query", "T", queries),
    ):
        figure.text(x, 4, letter)
        figure.arrow((x, 20), (x, 52), label=f"(B, {axis}, {d_model})")
        shape = f"(B, {axis}, {widths[kind][1]})"
        figure.box(x, 52, "Linear", kind="linear", name=f"w_{kind}", shape=shape, width=90)
        figure.arrow((x, 94), (x, 156), label=split)
    title = "Scaled Dot-Product Attention"
    figure.box(570, 156, title, f"{n_heads} heads", kind="attention", name="attention", shape=heads, width=330)
    right.y = 198
    right.put("Concat", "the heads side by side", kind="norm", shape=f"(B, T, {all_values})")
    right.put("Linear", kind="linear", name="w_output", shape=f"(B, T, {widths['output'][1]})")
    figure.arrow((right.x, right.y), (right.x, right.y + GAP), label=right.shape)
    return figure
