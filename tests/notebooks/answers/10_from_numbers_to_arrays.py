"""What is written in notebook 10, right and wrong."""

DX = "dx = ...  # (2, 3)"
DW = "dw = ...  # (3, 4)"
DR = "dr = ...  # (2, 1), from dy_small and x_small"
DB = "db = ...  # (3,), from dy_small"

ANSWERS = {
    DX: "dx = dy @ w.T",
    DW: "dw = x.T @ dy",
    DR: "dr = (dy_small * x_small).sum(1, keepdims=True)",
    DB: "db = dy_small.sum(0)",
}
WRONG = {
    DX: "dx = (w @ dy.T).reshape(2, 3)",
    DB: "db = dy_small.mean(0)",
    "linear_backward": (
        "def linear_backward(dy, x, w):\n    return dy @ w.T, x.swapaxes(-1, -2) @ dy, dy.sum(0)\n"
    ),
}
