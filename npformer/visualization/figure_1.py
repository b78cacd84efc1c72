"""The paper's figure 1 as SVG, drawn from a model.

Every box is a layer, and every arrow has its shape.
"""

import os
from collections.abc import Sequence
from html import escape
from typing import Any

from ..layers import MultiHeadAttention, SinusoidalPositionalEncoding
from ..layers.add_norm import AddNorm, PreNorm
from ..models import Transformer
from ..models.embeddings import InputEmbedding
from ..utils import AnyPath, InputError, write_atomic
from .plots.colors import ROLES, role_color

# on a light page, also for programs without style sheets, and on a dark one
INK = ("#1b1e24", "#eceff4")
# of each kind of box and text, in the same way
FILLS = {
    "page": ("#ffffff", "#16181d"),
    "frame": ("#f3f4f6", "#22252c"),
    "embedding": ("#f9dfe3", "#6e3b45"),
    "position": ("#ece4d4", "#5a4f38"),
    "attention": ("#fbdfbd", "#7a4f1d"),
    "norm": ("#f4f1bd", "#5d5a1e"),
    "linear": ("#dcdcf2", "#42427c"),
    "forward": ("#c6e6f5", "#1f5672"),
    "softmax": ("#cfe9d3", "#2a5e36"),
    "ink": INK,
    "shape": ("#52606d", "#aab4c0"),
    "query": (role_color("query", INK[0]), role_color("query", INK[1])),
    "key": (role_color("key", INK[0]), role_color("key", INK[1])),
    "value": (role_color("value", INK[0]), role_color("value", INK[1])),
}
WIDTH = 190  # of a box
HEIGHT = 42
GAP = 32  # of an arrow between two boxes
MARGIN = 14  # around the figure

DARK = "".join(f".npformer-figure .{kind}{{fill:{dark}}}" for kind, (_, dark) in FILLS.items())
DARK += "".join(
    f".npformer-figure .line-{kind}{{stroke:{FILLS[kind][1]}}}" for kind in ("shape", *ROLES)
)
DARK += ".npformer-figure .edge{stroke:#6b7480}"


Points = Sequence[tuple[float, float]]


class Figure:
    """A drawing of boxes and arrows; y grows upward.

    A notebook shows it, and `save` writes it to an .svg file.

    Arguments:
        name: The title of the drawing.
        width: Its width.
    """

    def __init__(self, name: str, width: int):
        self.name = name
        self.width = width
        self.top: float = 0
        self.parts: list[str] = []  # of the SVG

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: str = "middle",
        size: int = 13,
        kind: str = "ink",
        bold: bool = False,
    ) -> None:
        """Write a line of text, its baseline at y."""
        look = f'class="{kind}" fill="{FILLS[kind][0]}" font-size="{size}" text-anchor="{anchor}"'
        if bold:
            look += ' font-weight="bold"'
        self.parts.append(f'<text x="{x}" y="{-y}" {look}>{escape(text)}</text>')

    def rectangle(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """Draw a rectangle around x, its lower edge at y."""
        place = f'x="{x - width / 2}" y="{-y - height}" width="{width}" height="{height}" rx="6"'
        self.parts.append(
            f'<rect class="{kind} edge" {place} fill="{FILLS[kind][0]}" stroke="#8b95a1"/>'
        )
        self.top = max(self.top, y + height)

    def box(
        self,
        x: float,
        y: float,
        title: str,
        detail: str = "",
        *,
        kind: str,
        name: str = "",
        shape: str = "",
        width: float = WIDTH,
    ) -> None:
        """Draw a layer.

        Arguments:
            x: The middle of the box.
            y: Its lower edge.
            title: The first line in it.
            detail: The second line.
            kind: One of `FILLS`.
            name: The name of the module, an attribute in the SVG.
            shape: The shape of its output, an attribute too.
            width: The width of the box.
        """
        self.parts.append(
            f'<g data-module="{name}" data-shape="{shape}"><title>{name or title}</title>'
        )
        self.rectangle(x, y, width, HEIGHT, kind)
        title_height = 16  # in the middle of the box
        if detail:
            title_height = 24
        self.text(x, y + title_height, title)
        self.text(x, y + 9, detail, size=11)
        self.parts.append("</g>")

    def arrow(
        self,
        *points: tuple[float, float],
        label: str = "",
        head: bool = True,
        kind: str = "shape",
    ) -> None:
        """Draw straight lines through points.

        Arguments:
            points: The points.
            label: A text to the right of the last line.
            head: Whether the last line has a head.
            kind: Whose color of `FILLS` it has.
        """
        path = "L".join(f"{x} {-y}" for x, y in points)
        look = f'fill="none" stroke="{FILLS[kind][0]}" stroke-width="1.3"'
        self.parts.append(f'<path class="line-{kind}" d="M{path}" {look}/>')
        (x0, y0), (x, y) = points[-2:]
        if head:
            self._head(x, y, _sign(x - x0), _sign(y - y0), kind)
        if label:
            self.text(x + 7, (y0 + y) / 2 - 4, label, anchor="start", size=11, kind="shape")
            self.top = max(self.top, y)

    def _head(self, x: float, y: float, dx: int, dy: int, kind: str) -> None:
        """Draw the head of an arrow that ends at a point and has the direction (dx, dy)."""
        left = f"{x - 8 * dx - 4 * dy} {8 * dy - y - 4 * dx}"
        right = f"{x - 8 * dx + 4 * dy} {8 * dy - y + 4 * dx}"
        fill = FILLS[kind][0]
        path = f"M{x} {-y}L{left}L{right}Z"
        self.parts.append(f'<path class="{kind}" d="{path}" fill="{fill}"/>')

    def _repr_svg_(self) -> str:
        bottom = -self.top - MARGIN
        height = self.top + 2 * MARGIN
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" class="npformer-figure" '
            f'width="{self.width}" height="{height}" viewBox="0 {bottom} {self.width} {height}" '
            'role="img" font-family="sans-serif">'
            f"<title>{self.name}</title>"
            f"<style>@media (prefers-color-scheme:dark){{{DARK}}}</style>"
            f'<rect y="{bottom}" width="100%" height="100%" class="page" '
            f'fill="{FILLS["page"][0]}"/>{"".join(self.parts)}</svg>'
        )

    def save(self, path: AnyPath) -> None:
        """Write an .svg file, whole or not at all."""
        if os.path.splitext(path)[1] != ".svg":
            raise InputError(f"cannot write a figure to {path}: expected a name that ends in .svg")
        write_atomic(path, self._repr_svg_() + "\n")

    def __repr__(self) -> str:
        return f"Figure({self.name!r})"


def _sign(number: float) -> int:
    """Return -1, 0 or 1."""
    return (number > 0) - (number < 0)


class Column:
    """Boxes one on top of the other, with an arrow between two.

    Arguments:
        figure: The figure.
        x: The middle of the boxes.
        side: Where residual connections are: 1 right, -1 left.
        tokens: What comes in, a text.
        shape: Its shape.
    """

    def __init__(self, figure: Figure, x: float, side: int, tokens: str, shape: str):
        self.figure = figure
        self.x = x
        self.side = side
        self.shape = shape
        self.y: float = 20
        figure.text(x, 4, tokens)

    def put(
        self,
        title: str,
        detail: str = "",
        *,
        kind: str,
        name: str = "",
        shape: str = "",
        memory: Points = (),
    ) -> None:
        """Put a box on top, with an arrow to it.

        Arguments:
            title: The first line in it.
            detail: The second line.
            kind: One of `FILLS`. Attention also takes K and V, from below or from `memory`.
            name: The name of the module.
            shape: The shape of its output, by default that of its input.
            memory: The line at whose end attention takes K and V.
        """
        start = self.y
        self.y += GAP
        self.figure.arrow((self.x, start), (self.x, self.y), label=self.shape)
        if kind == "attention":
            self._put_keys_and_values(memory or [(self.x, start + 6)], is_cross=bool(memory))
        self.shape = shape or self.shape
        self.figure.box(self.x, self.y, title, detail, kind=kind, name=name, shape=self.shape)
        self.y += HEIGHT

    def _put_keys_and_values(self, points: Points, *, is_cross: bool) -> None:
        """Draw the arrows of K and V, which fork at the end of a line."""
        key = self.x - 30
        value = self.x - 60
        # the arrow that goes on from the line is the one that crosses no other
        near, far = (value, key) if is_cross else (key, value)
        fork = self.y - 16
        self.figure.arrow(*points, (points[-1][0], fork), (far, fork), (far, self.y))
        self.figure.arrow((near, fork), (near, self.y))
        for role, x in (("query", self.x), ("key", key), ("value", value)):
            letter = role[0].upper()
            self.figure.text(x - 5, self.y - 9, letter, anchor="end", size=10, kind=role, bold=True)

    def pass_on(self, height: float) -> None:
        """Put a line on top, the beginning of the next arrow."""
        self.figure.arrow((self.x, self.y), (self.x, self.y + height), head=False)
        self.y += height

    def put_sublayer(self, name: str, add_norm: AddNorm, memory: Points = ()) -> None:
        """Put a sub-layer, its LayerNorm, and the residual connection around them."""
        start = self.y + 6
        is_pre_norm = isinstance(add_norm, PreNorm)
        if is_pre_norm:
            self.put("Norm", kind="norm", name=f"{name}.norm")
        sublayer: Any = add_norm.sublayer
        if isinstance(sublayer, MultiHeadAttention):
            self._put_attention(f"{name}.sublayer", sublayer, memory)
        else:
            d_model, d_ff = sublayer.linear_1.weight.data.shape
            activation = type(sublayer.activation).__name__
            detail = f"{d_model} → {d_ff}, {activation}, {d_ff} → {d_model}"
            self.put("Feed Forward", detail, kind="forward", name=f"{name}.sublayer")
        title = "Add & Norm"
        if is_pre_norm:
            title = "Add"
        self.put(title, kind="norm", name=name)

        edge = self.x + self.side * WIDTH / 2
        outside = edge + self.side * 24
        middle = self.y - HEIGHT / 2
        self.figure.arrow((self.x, start), (outside, start), (outside, middle), (edge, middle))

    def _put_attention(self, name: str, attention: MultiHeadAttention, memory: Points) -> None:
        """Put multi-head attention."""
        if memory:
            title = "Cross-Attention"
        elif attention.attention.causal:
            title = "Masked Self-Attention"
        else:
            title = "Self-Attention"
        # from the matrix, because the config's d_k may be None
        d_k = attention.w_key.weight.data.shape[1] // attention.n_heads
        detail = f"{attention.n_heads} heads, d_k {d_k}"
        self.put(title, detail, kind="attention", name=name, memory=memory)

    def put_stack(self, name: str, stack: Any, memory: Points = ()) -> None:
        """Put an encoder or decoder.

        It has an embedding, positions, one of its layers in a frame, and the last LayerNorm.
        """
        self._put_embedding(f"{name}.input_embedding", stack.input_embedding)
        frame_start = self.y + 12
        place_of_frame = len(self.figure.parts)  # under what is drawn from here on
        self.pass_on(16)
        # all layers of a stack are alike: one is drawn for the N of them
        layer = stack.layers[0]
        place = f"{name}.layers.*"
        self.put_sublayer(f"{place}.self_attention", layer.self_attention)
        if hasattr(layer, "cross_attention"):
            self.put_sublayer(f"{place}.cross_attention", layer.cross_attention, memory)
        self.put_sublayer(f"{place}.feed_forward", layer.feed_forward)
        self.pass_on(14)
        self.figure.rectangle(self.x, frame_start, WIDTH + 76, self.y - frame_start, "frame")
        # its height is known only now, but it is drawn under the boxes
        self.figure.parts.insert(place_of_frame, self.figure.parts.pop())

        x = self.x + self.side * (WIDTH / 2 + 57)
        self.figure.text(x, frame_start + 30, f"{len(stack.layers)} x", size=15)
        if stack.norm:
            self.put("Norm", kind="norm", name=f"{name}.norm")

    def _put_embedding(self, name: str, tokens: InputEmbedding) -> None:
        """Put the embedding of the ids, positions, and the LayerNorm after them."""
        n_rows, d_model = tokens.embedding.table.data.shape
        self.put(
            "Embedding",
            f"{n_rows:,} rows, times {tokens.embedding.scale:.3g}",
            kind="embedding",
            name=f"{name}.embedding",
            shape=f"{self.shape[:-1]}, {d_model})",
        )
        is_sinusoidal = isinstance(tokens.positions, SinusoidalPositionalEncoding)
        detail = "sines" if is_sinusoidal else "learned"
        self.put("Add Positional Encoding", detail, kind="position", name=f"{name}.positions")
        if tokens.norm:
            self.put("Norm", kind="norm", name=f"{name}.norm")


def figure_1(model: Transformer) -> Figure:
    """Draw the paper's figure 1 as this model is.

    There are B sentences, S source and T target tokens; all other sizes are the model's own.

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
    table = "" if model.config.tie_embeddings == "none" else "the table of an embedding"
    right.put("Linear", table, kind="linear", name="generator", shape=size)
    right.put("Softmax", "in the loss, and in decoding", kind="softmax")
    figure.arrow((right.x, right.y), (right.x, right.y + GAP), label=f"probabilities {size}")
    return figure
