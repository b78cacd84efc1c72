"""What is written in notebook 22b, right and wrong."""

ERRORS = "errors = ...  # (20,), from deviations and base.deviation"
S = "s = ...  # one number"
SEEDS = "seeds = ...  # one number, from s and delta"

ANSWERS = {
    ERRORS: "errors = np.sqrt((deviations**2 + base.deviation**2) / 3)",
    S: "s = np.sqrt((ordinary**2).mean())",
    SEEDS: "seeds = 2 * (2.8 * s / delta) ** 2",
}
WRONG = {
    ERRORS: "errors = deviations / np.sqrt(3)",
    S: "s = ordinary.mean()",
    SEEDS: "seeds = (2.8 * s / delta) ** 2",
}
