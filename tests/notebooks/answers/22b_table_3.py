"""What is written in notebook 22b, right and wrong."""

ERRORS = "errors = ...  # (20,), from deviations and base.deviation"
PAIRED = "paired = ...  # (20,), from by_seed"
S = "s = ...  # one number"
SEEDS = "seeds = ...  # one number, from s and delta"

ANSWERS = {
    ERRORS: "errors = np.sqrt((deviations**2 + base.deviation**2) / 3)",
    PAIRED: "paired = by_seed.std(-1, ddof=1) / np.sqrt(3)",
    S: "s = np.sqrt((own**2).mean())",
    SEEDS: "seeds = (2.8 * s / delta) ** 2",
}
WRONG = {
    ERRORS: "errors = deviations / np.sqrt(3)",
    PAIRED: "paired = by_seed.std(-1) / np.sqrt(3)",
    S: "s = own.mean()",
    SEEDS: "seeds = 2 * (2.8 * s / delta) ** 2",
}
