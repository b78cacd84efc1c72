"""What is written in notebook 22, right and wrong."""

ERROR = "error = ...  # one number, from a"
APART = "apart = ...  # one number, from a and b"
NEEDED = "needed = ...  # one number"

ANSWERS = {
    ERROR: "error = a.std() / np.sqrt(len(a))",
    APART: "apart = np.sqrt(a.var() / len(a) + b.var() / len(b))",
    NEEDED: "needed = (2.8 * s / delta) ** 2",
}
WRONG = {
    ERROR: "error = a.std() / len(a)",
    APART: "apart = (a - b).std() / np.sqrt(len(a))",
    NEEDED: "needed = 2.8 * s / delta",
}
