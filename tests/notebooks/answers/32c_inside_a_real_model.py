APART = "apart = ...  # (boxes, positions), from a and b"
SHARE = "share = ...  # (2, 4), from weights, noun and rows"
CHANCE = "chance = ...  # one number"

ANSWERS = {
    APART: (
        "norm = np.linalg.norm\n"
        "apart = norm(a - b, axis=-1) / (norm(a, axis=-1) + norm(b, axis=-1)) * 2"
    ),
    SHARE: "share = (weights * noun).sum(-1)[..., rows].mean(-1)",
    CHANCE: "chance = 1 / noun.shape[1]",
}
WRONG = {
    APART: "apart = np.linalg.norm(a - b, axis=-1)",
    SHARE: "share = (weights * noun).sum(-1).mean(-1)",
    CHANCE: "chance = 1 / len(rows)",
}
