"""What is written in notebook 03b, right and wrong."""

SCORES = "scores = ...  # (3, 5)"

ANSWERS = {SCORES: "scores = np.tanh((q @ W)[:, None, :] + (k @ U)[None, :, :]) @ v"}
WRONG = {SCORES: "scores = (q @ W @ (k @ U).T)"}
