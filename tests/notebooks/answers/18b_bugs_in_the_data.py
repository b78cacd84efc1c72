"""What is written in notebook 18b, right and wrong."""

ALLOWED = "allowed = ...  # (5, 4), booleans: may position t notice a change of token s?"
LEAK = "leak = ...  # from noticed and allowed"
CHANGE = "change = ...  # one number, from alone and together"

ANSWERS = {
    ALLOWED: "allowed = np.tri(5, 4, -1, dtype=bool)",
    LEAK: "leak = noticed[~allowed].max()",
    CHANGE: "change = abs(alone[0] - together[0, :4]).max()",
}
WRONG = {
    ALLOWED: "allowed = np.tri(5, 4, dtype=bool)",
    LEAK: "leak = noticed[allowed].max()",
    CHANGE: "change = abs(alone[0] - together[1, :4]).max()",
}
