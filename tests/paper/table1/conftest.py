import pytest

from npformer.paper.table1 import KINDS, Cost, Table1, find_path, multiply_adds
from npformer.paper.table1.layer_kinds import Size

LENGTHS, WIDTHS = (16, 64, 256), (8, 32, 128)
SECONDS = {  # what a machine would take that knows no constants but these
    "self-attention": lambda n, d: 2e-9 * n**2 * d,
    "recurrent (LSTM)": lambda n, d: 4e-9 * n * d**2,
    "convolution": lambda n, d: 1e-12 * n * d**2,
    "dilated": lambda n, d: 1e-3 * n * d**2,
    "restricted": lambda n, d: 1e-9 * n * d,
}


@pytest.fixture(scope="session")
def table():
    """Table 1 with seconds that follow formulas."""
    costs = [
        Cost(kind.name, n, d, multiply_adds(kind, Size(n, d, r=4)), SECONDS[kind.name](n, d))
        for d in WIDTHS
        for n in LENGTHS
        for kind in KINDS
    ]
    return Table1(costs[::-1], [find_path(kind, n, r=4) for kind in KINDS for n in (9, 3, 5)], k=3, r=4, batch=1)
