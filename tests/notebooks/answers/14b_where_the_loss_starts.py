"""What is written in notebook 14b, right and wrong."""

DTABLE = "dtable = ...  # (825, 64)"
PREDICTED = "predicted = ...  # (2, 4), the losses"

ANSWERS = {
    DTABLE: "dtable = dlogits[0].T @ x[0]",
    PREDICTED: "predicted = np.log((V - 1) * np.exp(0.5) + np.exp(own))",
}
WRONG = {DTABLE: "dtable = dlogits[0].T @ x[0] / 10"}
