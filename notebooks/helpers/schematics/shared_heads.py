"""Heads of queries that share heads of keys and values, and what a cache keeps of them."""

from .frame import K_COLOR, LINE, MARGIN, Q_COLOR, SMALL, V_COLOR, WIDTH, Drawing, columns

N_HEADS = 4


def shared_heads() -> Drawing:
    """Draw four heads of queries over four, two and one heads of keys and values."""
    drawing = Drawing(
        "Shared heads of keys and values",
        "Four heads of queries. With four groups each has keys and values of its own, with two "
        "groups two heads share them, with one group all do. Only keys and values are kept.",
    )
    queries_y = 84
    kept_y = 190
    third = (WIDTH - 2 * MARGIN) / 3
    for place, n_groups in enumerate((4, 2, 1)):
        left = MARGIN + place * third + 8
        xs = columns(N_HEADS, left, left + third - 16)
        name = (
            "4 groups: 2017" if n_groups == N_HEADS else f"{n_groups} group" + "s" * (n_groups > 1)
        )
        drawing.text((xs[0] + xs[-1]) / 2, 36, name, bold=True, size=SMALL)
        heads = []
        for head, x in enumerate(xs):
            heads.append(drawing.box(x, queries_y, 40, 34, f"q_{{{head}}}", edge=Q_COLOR, thick=3))
        group_xs = columns(n_groups, left, left + third - 16)
        for group, x in enumerate(group_xs):
            keys = drawing.box(x, kept_y, 46, 30, f"k_{{{group}}}", edge=K_COLOR, thick=3)
            drawing.box(x, kept_y + 36, 46, 30, f"v_{{{group}}}", edge=V_COLOR, thick=3)
            sharing = N_HEADS // n_groups
            for query in heads[group * sharing : (group + 1) * sharing]:
                drawing.line(query.at_bottom, keys.at_top, color=LINE)
        drawing.text(
            (xs[0] + xs[-1]) / 2, kept_y + 82, f"cache: {2 * n_groups} vectors a token", size=SMALL
        )
    return drawing
