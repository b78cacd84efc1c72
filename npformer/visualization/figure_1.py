"""The paper's figure 1 as SVG, drawn from a model: every box is a layer, and every arrow has its shape."""

import os
from html import escape

from ..layers import MultiHeadAttention, SinusoidalPositionalEncoding
from ..layers.add_norm import AddNorm, PreNorm
from ..models import Transformer
from ..module import Module
from ..utils import AnyPath, InputError, write_atomic

FILLS = {  # of each kind of box on a light page, which is also for programs without style sheets, and on a dark one
    "page": ("#ffffff", "#16181d"),
    "frame": ("#f3f4f6", "#22252c"),
    "embedding": ("#f9dfe3", "#6e3b45"),
    "position": ("#ece4d4", "#5a4f38"),
    "attention": ("#fbdfbd", "#7a4f1d"),
    "norm": ("#f4f1bd", "#5d5a1e"),
    "linear": ("#dcdcf2", "#42427c"),
    "forward": ("#c6e6f5", "#1f5672"),
    "softmax": ("#cfe9d3", "#2a5e36"),
    "ink": ("#1b1e24", "#eceff4"),
    "shape": ("#52606d", "#aab4c0"),
}
DARK = "".join(f".npformer-figure .{kind}{{fill:{dark}}}" for kind, (_, dark) in FILLS.items())
DARK += (
    f".npformer-figure .line{{stroke:{FILLS['shape'][1]}}}.npformer-figure .edge{{stroke:#6b7480}}"
)
WIDTH, HEIGHT, GAP, MARGIN = (
    190,
    42,
    32,
    14,
)  # of a box, of an arrow between two boxes, around the figure


class Figure:
    """A drawing of boxes and arrows; y grows upward. A notebook shows it, and `save` writes it to an .svg file."""

    def __init__(self, name: str, width: int):
        self.name, self.width, self.top, self.parts = name, width, 0, []

    def text(self, x, y, text: str, *, anchor="middle", size=13, kind="ink") -> None:
        """Write a line of text, its baseline at y."""
        look = f'class="{kind}" fill="{FILLS[kind][0]}" font-size="{size}" text-anchor="{anchor}"'
        self.parts.append(f'<text x="{x}" y="{-y}" {look}>{escape(text)}</text>')

    def rectangle(self, x, y, width, height, kind: str) -> None:
        """Draw a rectangle around x, with its foot at y."""
        place = f'x="{x - width / 2}" y="{-y - height}" width="{width}" height="{height}" rx="6"'
        self.parts.append(
            f'<rect class="{kind} edge" {place} fill="{FILLS[kind][0]}" stroke="#8b95a1"/>'
        )
        self.top = max(self.top, y + height)

    def box(
        self, x, y, title: str, detail="", *, kind: str, name="", shape="", width=WIDTH
    ) -> None:
        """Draw a layer; the name of its module and the shape of its output are attributes in the SVG."""
        self.parts.append(
            f'<g data-module="{name}" data-shape="{shape}"><title>{name or title}</title>'
        )
        self.rectangle(x, y, width, HEIGHT, kind)
        self.text(x, y + (24 if detail else 16), title)
        self.text(x, y + 9, detail, size=11)
        self.parts.append("</g>")

    def arrow(self, *points: tuple, label="", head=True) -> None:
        """Draw straight lines through points, with a head at the last; the label is right of the last line."""
        path = "L".join(f"{x} {-y}" for x, y in points)
        look = f'fill="none" stroke="{FILLS["shape"][0]}" stroke-width="1.3"'
        self.parts.append(f'<path class="line" d="M{path}" {look}/>')
        (x0, y0), (x, y) = points[-2:]
        if head:
            dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
            side = f"{x - 8 * dx - 4 * dy} {8 * dy - y - 4 * dx}L{x - 8 * dx + 4 * dy} {8 * dy - y + 4 * dx}"
            self.parts.append(
                f'<path class="shape" d="M{x} {-y}L{side}Z" fill="{FILLS["shape"][0]}"/>'
            )
        if label:
            self.text(x + 7, (y0 + y) / 2 - 4, label, anchor="start", size=11, kind="shape")
            self.top = max(self.top, y)

    def _repr_svg_(self) -> str:
        height, page = self.top + 2 * MARGIN, f'class="page" fill="{FILLS["page"][0]}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="npformer-figure" width="{self.width}" height="{height}" '
            f'viewBox="0 {-self.top - MARGIN} {self.width} {height}" role="img" font-family="sans-serif">'
            f"<title>{self.name}</title><style>@media (prefers-color-scheme:dark){{{DARK}}}</style>"
            f'<rect y="{-self.top - MARGIN}" width="100%" height="100%" {page}/>{"".join(self.parts)}</svg>'
        )

    def save(self, path: AnyPath) -> None:
        """Write an .svg file, whole or not at all."""
        if os.path.splitext(path)[1] != ".svg":
            raise InputError(f"cannot write a figure to {path}: expected a name that ends in .svg")
        write_atomic(path, self._repr_svg_() + "\n")

    def __repr__(self):
        return f"Figure({self.name!r})"


class Column:
    """Boxes one on top of the other, with an arrow between two; `side` is where residual connections are, 1 right."""

    def __init__(self, figure: Figure, x: int, side: int, tokens: str, shape: str):
        self.figure, self.x, self.side, self.y, self.shape = figure, x, side, 20, shape
        figure.text(x, 4, tokens)

    def put(self, title: str, detail="", *, kind: str, name="", shape="", memory=()) -> None:
        """Put a box on top. Attention also takes K and V, from below or from the end of the line `memory`."""
        start, self.y = self.y, self.y + GAP
        self.figure.arrow((self.x, start), (self.x, self.y), label=self.shape)
        if kind == "attention":
            points, fork = memory or [(self.x, start + 6)], self.y - 16
            near, far = (self.x - 60, self.x - 30) if memory else (self.x - 30, self.x - 60)
            self.figure.arrow(*points, (points[-1][0], fork), (far, fork), (far, self.y))
            self.figure.arrow((near, fork), (near, self.y))
            for x, letter in ((self.x, "Q"), (self.x - 30, "K"), (self.x - 60, "V")):
                self.figure.text(x - 5, self.y - 9, letter, anchor="end", size=10, kind="shape")
        self.shape = shape or self.shape
        self.figure.box(self.x, self.y, title, detail, kind=kind, name=name, shape=self.shape)
        self.y += HEIGHT

    def pass_on(self, height: int) -> None:
        """Put a line on top, the foot of the next arrow."""
        self.figure.arrow((self.x, self.y), (self.x, self.y + height), head=False)
        self.y += height

    def put_sublayer(self, name: str, part: AddNorm, memory=()) -> None:
        """Put a sub-layer, its LayerNorm, and the residual connection around them."""
        inner, start, pre = part.sublayer, self.y + 6, isinstance(part, PreNorm)
        if pre:
            self.put("Norm", kind="norm", name=f"{name}.norm")
        if isinstance(inner, MultiHeadAttention):
            title = "Cross-" if memory else "Masked Self-" if inner.attention.causal else "Self-"
            heads = (
                f"{inner.n_heads} heads, d_k {inner.w_key.weight.data.shape[1] // inner.n_heads}"
            )
            self.put(
                f"{title}Attention", heads, kind="attention", name=f"{name}.sublayer", memory=memory
            )
        else:
            d_model, d_ff = inner.linear_1.weight.data.shape
            detail = f"{d_model} → {d_ff}, {type(inner.activation).__name__}, {d_ff} → {d_model}"
            self.put("Feed Forward", detail, kind="forward", name=f"{name}.sublayer")
        self.put("Add" if pre else "Add & Norm", kind="norm", name=name)
        edge, middle = self.x + self.side * WIDTH / 2, self.y - HEIGHT / 2
        outside = edge + self.side * 24
        self.figure.arrow((self.x, start), (outside, start), (outside, middle), (edge, middle))

    def put_stack(self, name: str, stack: Module, memory=()) -> None:
        """Put an encoder or decoder: embedding, positions, one of its layers in a frame, and the last LayerNorm."""
        tokens, ids, layer = stack.tokens, self.shape[:-1], stack.layers[0]
        size, d_model = tokens.embedding.table.data.shape
        scaled = f"{size:,} rows, times {tokens.embedding.scale:.3g}"
        self.put(
            "Embedding",
            scaled,
            kind="embedding",
            name=f"{name}.tokens.embedding",
            shape=f"{ids}, {d_model})",
        )
        detail = (
            "sines" if isinstance(tokens.positions, SinusoidalPositionalEncoding) else "learned"
        )
        self.put(
            "Add Positional Encoding", detail, kind="position", name=f"{name}.tokens.positions"
        )
        if tokens.norm:
            self.put("Norm", kind="norm", name=f"{name}.tokens.norm")
        start, under = self.y + 12, len(self.figure.parts)
        self.pass_on(16)
        for part in ("self_attention", "cross_attention", "feed_forward"):
            if hasattr(layer, part):
                self.put_sublayer(
                    f"{name}.layers.*.{part}",
                    getattr(layer, part),
                    memory if "cross" in part else (),
                )
        self.pass_on(14)
        self.figure.rectangle(self.x, start, WIDTH + 76, self.y - start, "frame")
        self.figure.parts.insert(under, self.figure.parts.pop())
        self.figure.text(
            self.x + self.side * (WIDTH / 2 + 57), start + 30, f"{len(stack.layers)} x", size=15
        )
        if stack.norm:
            self.put("Norm", kind="norm", name=f"{name}.norm")


def figure_1(model: Transformer) -> Figure:
    """Draw the paper's figure 1 as this model is: B sentences, S source and T target tokens, all other sizes its own.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=20, tgt_vocab_size=20)
    >>> figure_1(Transformer(config, rng=0))
    Figure('Figure 1: the Transformer')
    """
    if not isinstance(model, Transformer):
        raise InputError(f"figure_1 got a {type(model).__name__}: expected a Transformer")
    figure = Figure("Figure 1: the Transformer", 660)
    left = Column(figure, 170, -1, "source ids", "(B, S)")
    right = Column(figure, 490, 1, "target ids, shifted right", "(B, T)")
    left.put_stack("encoder", model.encoder)
    memory = [(left.x, left.y), (left.x, left.y + 34), (330, left.y + 34)]
    figure.text(
        left.x + 7, left.y + 20, f"memory {left.shape}", anchor="start", size=11, kind="shape"
    )
    right.put_stack("decoder", model.decoder, memory)
    size = f"(B, T, {len(model.generator.table.data)})"
    table = "" if model.config.tie == "none" else "the table of an embedding"
    right.put("Linear", table, kind="linear", name="generator", shape=size)
    right.put("Softmax", "in the loss, and in decoding", kind="softmax")
    figure.arrow((right.x, right.y), (right.x, right.y + GAP), label=f"probabilities {size}")
    return figure
