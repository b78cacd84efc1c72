"""What is written in notebook 25b, right and wrong."""

CUT = "cut = ..."
OF_COUNTS = "of_counts = ...  # from counts and ids"

ANSWERS = {
    CUT: "cut = 9 * len(text) // 10",
    OF_COUNTS: """\
p = counts / counts.sum()
of_counts = -np.log(p[ids]).mean()""",
}
WRONG = {
    CUT: "cut = len(text) // 10",
    OF_COUNTS: """\
p = counts / counts.sum()
of_counts = -(p * np.log(np.maximum(p, 1e-9))).sum()""",
}
