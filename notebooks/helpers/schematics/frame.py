"""What a schematic is made of: boxes, words, cells, bars and arrows on a white card."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from npformer.visualization.plots.colors import ROLES

# one color per thing in the whole course
Q_COLOR = ROLES["query"]
K_COLOR = ROLES["key"]
V_COLOR = ROLES["value"]
GRADIENT_COLOR = "#A83279"  # what goes backward
POSITION_COLOR = "#8C6D00"
YOURS_COLOR = "#F0E442"  # what the learner wrote
VECTOR_COLOR = "#57606A"  # the vector of a position
INK = "#1B1E24"
LINE = "#57606A"  # of arrows
FAINT = "#D0D7DE"  # of what is there but does not matter now
PAPER = "#FFFFFF"

WIDTH = 720  # of the view box
MARGIN = 24
TEXT = 20  # size of text; at 320 pixels it is 9 pixels high
SMALL = 17
HEAD = 11  # length of the head of an arrow
CELL_WIDTH = 44
CELL_HEIGHT = 34
BOX_HEIGHT = 38
DARKEST = 0.5  # share of the color in the fill of the largest cell; ink is read on it
MINUS = "\u2212"  # as wide as +, unlike the hyphen
TIMES = "\u00d7"  # not the letter x
MONOSPACE = "ui-monospace, Menlo, Consolas, monospace"

NARROW = set("ijlrtfI.,:;'|!()[] ")
WIDE = set("mwMW√→<>+")

Point = tuple[float, float]
Row = Sequence[float] | np.ndarray
Piece = str | tuple[str, str]  # text, or text and its color


@dataclass(frozen=True)
class Box:
    """The place of something that was drawn, for the arrows to and from it."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    @property
    def x(self) -> float:
        """The middle between the left and the right edge."""
        return self.left + self.width / 2

    @property
    def y(self) -> float:
        """The middle between the upper and the lower edge."""
        return self.top + self.height / 2

    @property
    def at_top(self) -> Point:
        """The middle of the upper edge."""
        return self.x, self.top

    @property
    def at_bottom(self) -> Point:
        """The middle of the lower edge."""
        return self.x, self.bottom

    @property
    def at_left(self) -> Point:
        """The middle of the left edge."""
        return self.left, self.y

    @property
    def at_right(self) -> Point:
        """The middle of the right edge."""
        return self.right, self.y


def number(value: float, digits: int = 1) -> str:
    """Return a number as it is written in a cell: few digits, and a minus sign.

    >>> number(2.0), number(0.5), number(-0.04), number(0.726, 2)
    ('2', '0.5', '0', '0.73')
    """
    rounded = round(float(value), digits)
    if rounded == 0:
        return "0"
    return f"{rounded:.{digits}f}".removesuffix("." + "0" * digits).replace("-", MINUS)


def tint(color: str, share: float) -> str:
    """Return a color mixed with white.

    >>> tint("#0072b2", 1.0), tint("#0072b2", 0.0)
    ('#0072b2', '#ffffff')
    """
    mixed = "#"
    for start in (1, 3, 5):
        channel = int(color[start : start + 2], 16)
        mixed += f"{round(255 + share * (channel - 255)):02x}"
    return mixed


def columns(n: int, left: float, right: float) -> list[float]:
    """Return the middles of n columns of equal width.

    >>> columns(2, 0, 100)
    [25.0, 75.0]
    """
    step = (right - left) / n
    return [left + step * (i + 0.5) for i in range(n)]


def text_width(text: str, size: float = TEXT) -> float:
    """Return about how wide a text is, in a wide font.

    >>> text_width("radio", 20) > text_width("in", 20)
    True
    """
    width = 0.0
    for character in re.sub(r"[_^]\{(.*?)\}", r"\1", text):
        if character in NARROW:
            width += 0.4
        elif character in WIDE:
            width += 0.9
        else:
            width += 0.64
    return width * size


class Drawing:
    """A schematic: what is drawn on it, in an SVG that reads on light and on dark pages.

    x grows to the right and y downward. The card is as high as what is on it.

    Arguments:
        title: what it shows, for screen readers
        description: what there is to see, in a sentence or two
    """

    def __init__(self, title: str, description: str):
        self.title = title
        self.description = description
        self.bottom = 0.0
        self.parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        text: str | Sequence[Piece],
        *,
        size: float = TEXT,
        color: str = INK,
        anchor: str = "middle",
        bold: bool = False,
        code: bool = False,
    ) -> None:
        """Write a line of text whose middle is at y.

        Arguments:
            x: its middle, start or end, as the anchor says
            y: its middle
            text: a text, or pieces with a color each; `_{k}` and `^{O}` are set lower and higher
            size: of the letters
            color: of pieces without a color
            anchor: "middle", "start" or "end"
            bold: whether letters are bold
            code: whether it is a name of Python
        """
        pieces: Sequence[Piece] = text
        if isinstance(text, str):
            pieces = [text]
        spans = ""
        for piece in pieces:
            if isinstance(piece, str):
                spans += _raised_and_lowered(piece, size)
            else:
                content, piece_color = piece
                lines = _raised_and_lowered(content, size)
                spans += f'<tspan fill="{piece_color}">{lines}</tspan>'

        look = f'font-size="{size}" text-anchor="{anchor}" fill="{color}"'
        if bold:
            look += ' font-weight="bold"'
        if code:
            look += f' font-family="{MONOSPACE}"'
        baseline = y + 0.35 * size  # half of the height of a capital letter
        self.parts.append(f'<text x="{x:.1f}" y="{baseline:.1f}" {look}>{spans}</text>')
        self._reach(y + 0.6 * size)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float = BOX_HEIGHT,
        text: str | Sequence[Piece] = "",
        *,
        fill: str = PAPER,
        edge: str = LINE,
        thick: float = 1.5,
        size: float = TEXT,
        color: str = INK,
        dashed: bool = False,
    ) -> Box:
        """Draw a box around a point, with a line of text in its middle."""
        box = Box(x - width / 2, y - height / 2, width, height)
        look = f'fill="{fill}" stroke="{edge}" stroke-width="{thick}"'
        if dashed:
            look += ' stroke-dasharray="6 5"'
        self.parts.append(
            f'<rect x="{box.left:.1f}" y="{box.top:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" rx="8" {look}/>'
        )
        self._reach(box.bottom)
        if text:
            self.text(x, y, text, size=size, color=color)
        return box

    def two_lines(
        self,
        box: Box,
        name: str,
        below: str | Sequence[Piece],
        *,
        color: str = INK,
        code: bool = False,
    ) -> None:
        """Write a name into a box, and a line below it."""
        self.text(box.x, box.y - 0.65 * SMALL, name, bold=True, size=SMALL)
        self.text(box.x, box.y + 0.75 * SMALL, below, size=SMALL, color=color, code=code)

    def word(self, x: float, y: float, word: str, color: str = FAINT, size: float = TEXT) -> Box:
        """Draw a word, with an edge of a color."""
        width = text_width(word, size) + 18
        thick = 1.5 if color == FAINT else 3
        fill = tint(color, 0.12)
        return self.box(x, y, width, size + 18, word, fill=fill, edge=color, thick=thick, size=size)

    def sentence(
        self,
        words: Sequence[str],
        y: float,
        size: float = TEXT,
        left: float = MARGIN,
        right: float = WIDTH - MARGIN,
        marked: Mapping[int, str] | None = None,
    ) -> list[Box]:
        """Draw the words of a sentence from left to right.

        Arguments:
            words: the words
            y: the middle of their boxes
            size: of the letters
            left: where the first begins
            right: where the last ends
            marked: the color of the edge by the index of the word
        """
        marked = marked or {}
        widths = [text_width(word, size) + 18 for word in words]
        gap = (right - left - sum(widths)) / (len(words) - 1)
        boxes = []
        for i, word in enumerate(words):
            color = marked.get(i, FAINT)
            boxes.append(self.word(left + widths[i] / 2, y, word, color, size))
            left += widths[i] + gap
        return boxes

    def cells(
        self,
        x: float,
        y: float,
        values: Row,
        color: str,
        *,
        largest: float = 0,
        digits: int = 1,
        width: float = CELL_WIDTH,
        height: float = CELL_HEIGHT,
        written: bool = True,
    ) -> Box:
        """Draw a row of an array around a point; a larger number has a darker cell.

        Arguments:
            x: the middle of the row
            y: the middle of the row
            values: its numbers
            color: of the array
            largest: the size of the number that has the darkest cell; of these, if 0
            digits: how many are written after the point
            width: of a cell
            height: of a cell
            written: whether the numbers are written into the cells
        """
        row = Box(x - width * len(values) / 2, y - height / 2, width * len(values), height)
        largest = largest or max(abs(float(value)) for value in values) or 1
        for i, value in enumerate(values):
            left = row.left + i * width
            fill = tint(color, 0.06 + (DARKEST - 0.06) * min(1, abs(float(value)) / largest))
            self.parts.append(
                f'<rect x="{left:.1f}" y="{row.top:.1f}" width="{width:.1f}" '
                f'height="{height:.1f}" fill="{fill}" stroke="{color}" stroke-width="1.5"/>'
            )
            if written:
                self.text(left + width / 2, y, number(value, digits), size=SMALL)
        self._reach(row.bottom)
        return row

    def bar(
        self,
        x: float,
        base: float,
        height: float,
        color: str,
        *,
        width: float = CELL_WIDTH,
        share: float = 0.75,
    ) -> None:
        """Draw a bar that stands on a line at base, or hangs from it where height is negative."""
        top = min(base, base - height)
        self.parts.append(
            f'<rect x="{x - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" '
            f'height="{abs(height):.1f}" fill="{tint(color, share)}"/>'
        )
        self._reach(max(base, base - height))

    def dot(self, x: float, y: float, color: str, radius: float = 7) -> None:
        """Draw a dot."""
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{color}" '
            f'stroke="{PAPER}" stroke-width="1.5"/>'
        )
        self._reach(y + radius)

    def sign(self, x: float, y: float, text: str, radius: float = 17) -> Box:
        """Draw a round sign of an operation, such as +."""
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{PAPER}" stroke="{LINE}" '
            'stroke-width="1.5"/>'
        )
        self.text(x, y, text)
        self._reach(y + radius)
        return Box(x - radius, y - radius, 2 * radius, 2 * radius)

    def line(
        self, *points: Point, color: str = LINE, thick: float = 2, dashed: bool = False
    ) -> None:
        """Draw straight lines through points."""
        path = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        look = f'fill="none" stroke="{color}" stroke-width="{thick:.1f}" stroke-linejoin="round"'
        if dashed:
            look += ' stroke-dasharray="6 5"'
        self.parts.append(f'<path d="M{path}" {look}/>')
        self._reach(max(y for _, y in points))

    def arrow(self, *points: Point, color: str = LINE, thick: float = 2) -> None:
        """Draw straight lines through points, with a head at the last."""
        (x_before, y_before), (x, y) = points[-2:]
        length = ((x - x_before) ** 2 + (y - y_before) ** 2) ** 0.5
        along = ((x - x_before) / length, (y - y_before) / length)
        # the line ends inside the head, so that its end does not blunt the point
        end = (x - HEAD / 2 * along[0], y - HEAD / 2 * along[1])
        self.line(*points[:-1], end, color=color, thick=thick)
        self._head((x, y), along, color)

    def arc(self, x: float, to: float, y: float, height: float, color: str = LINE) -> None:
        """Draw an arc from (x, y) to (to, y), with a head, that rises to a height."""
        control = y - height / 0.75  # a curve of degree 3 rises to three quarters of it
        self.parts.append(
            f'<path d="M{x:.1f} {y:.1f} C{x:.1f} {control:.1f} {to:.1f} {control:.1f} '
            f'{to:.1f} {y - HEAD / 2:.1f}" fill="none" stroke="{color}" stroke-width="2"/>'
        )
        self._head((to, y), (0, 1), color)

    def curve(self, points: Sequence[Point], color: str = INK, thick: float = 3) -> None:
        """Draw a line through many points."""
        self.line(*points, color=color, thick=thick)

    def bracket(self, left: float, right: float, y: float, depth: float = 10) -> None:
        """Draw a bracket that opens upward, or downward where depth is negative."""
        self.line((left, y - depth), (left, y), (right, y), (right, y - depth), thick=1.5)

    def rule(self, y: float) -> None:
        """Draw a faint line from margin to margin, between two parts of the drawing."""
        self.line((MARGIN, y), (WIDTH - MARGIN, y), color=FAINT, thick=1.5)

    def _head(self, point: Point, along: Point, color: str) -> None:
        """Draw the head of an arrow that ends at a point in a direction."""
        (x, y), (dx, dy) = point, along
        back = (x - HEAD * dx, y - HEAD * dy)
        half = HEAD / 2
        corners = [
            (x, y),
            (back[0] - half * dy, back[1] + half * dx),
            (back[0] + half * dy, back[1] - half * dx),
        ]
        path = " L".join(f"{cx:.1f} {cy:.1f}" for cx, cy in corners)
        self.parts.append(f'<path d="M{path} Z" fill="{color}"/>')

    def _reach(self, y: float) -> None:
        """Make the card long enough for something that ends at y."""
        self.bottom = max(self.bottom, y)

    def _repr_svg_(self) -> str:
        """Return the SVG, which a notebook shows."""
        height = round(self.bottom + MARGIN)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" role="img" style="max-width:100%;height:auto" '
            'font-family="Helvetica, Arial, sans-serif">'
            f"<title>{escape(self.title)}</title><desc>{escape(self.description)}</desc>"
            # a card of its own, because a page may be dark
            f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="16" '
            f'fill="{PAPER}" stroke="{FAINT}"/>{"".join(self.parts)}</svg>'
        )

    def __repr__(self) -> str:
        return f"Drawing({self.title!r})"


def _raised_and_lowered(text: str, size: float) -> str:
    """Return text as SVG, with `_{k}` lower and `^{O}` higher and both smaller."""
    spans = ""
    for part in re.split(r"([_^]\{.*?\})", text):
        if part.startswith(("_{", "^{")):
            shift = 0.22 * size if part[0] == "_" else -0.36 * size
            inner = escape(part[2:-1])
            spans += f'<tspan dy="{shift:.1f}" font-size="{0.75 * size:.1f}">{inner}</tspan>'
            # what follows is moved back; an empty span cannot be, so it has no width
            spans += f'<tspan dy="{-shift:.1f}">\u200b</tspan>'
        else:
            spans += escape(part)
    return spans
