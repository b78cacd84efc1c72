"""What is written in notebook 30, right and wrong."""

FULL_TURN = "full_turn = ...  # (4,), in positions"
ANSWERS = {FULL_TURN: "full_turn = 2 * np.pi * 10000 ** (np.arange(0, d_k, 2) / d_k)"}
WRONG = {
    FULL_TURN: "full_turn = 10000 ** (np.arange(0, d_k, 2) / d_k)",
    "rotate_backward": "def rotate_backward(dy, start):\n    return rotate(dy, start)",
    "rotary_scores": (
        "def rotary_scores(q, k):\n"
        "    turned = rotate(q, 0) @ rotate(k, 0).swapaxes(2, 3)\n"
        "    return turned / np.sqrt(q.shape[-1])"
    ),
}
