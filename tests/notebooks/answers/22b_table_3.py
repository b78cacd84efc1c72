"""What is written in notebook 22b, right and wrong."""

ERRORS = "errors = ...  # (20,), from deviations and base.deviation"
S = "s = ...  # one number"

ANSWERS = {
    ERRORS: "errors = np.sqrt((deviations**2 + base.deviation**2) / 3)",
    S: "s = np.sqrt((ordinary**2).mean())",
}
WRONG = {ERRORS: "errors = deviations / np.sqrt(3)", S: "s = ordinary.mean()"}
