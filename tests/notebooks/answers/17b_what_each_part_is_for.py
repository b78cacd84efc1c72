"""What is written in notebook 17b, right and wrong."""

COSINES = "cosines = ...  # (7, 7), from x"
GROWTH = "growth = ...  # one number, from grown"
ATTENDED = "attended = ...  # (8,), from x[0, 0] and some of the matrices"

ANSWERS = {
    COSINES: "lengths = np.linalg.norm(x, axis=1)\ncosines = x @ x.T / np.outer(lengths, lengths)",
    GROWTH: "growth = (grown[-1] / grown[0]) ** (1 / 4)",
    ATTENDED: "attended = x[0, 0] @ w_value @ w_output",
}
WRONG = {
    COSINES: "cosines = x @ x.T",
    GROWTH: "growth = (grown[-1] / grown[0]) / 4",
    ATTENDED: "attended = x[0, 0] @ w_query @ w_key.T @ w_value @ w_output",
}
