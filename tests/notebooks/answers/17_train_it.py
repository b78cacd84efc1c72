"""What is written in notebook 17, right and wrong."""

FREQUENT = "frequent = ...  # one number; a line before it may help"
SHARE = "share = ...  # from outputs and targets"
PLACES = "places = ...  # six numbers"

ANSWERS = {
    FREQUENT: """\
q = (1 - eps) * counts / counts.sum() + eps / V
frequent = -(q * np.log(q)).sum()""",
    SHARE: """\
n_right = 0
for output, target in zip(outputs, targets, strict=True):
    n_right += output == target
share = n_right / len(targets)""",
    PLACES: "places = 5 - np.arange(6)",
}
WRONG = {
    FREQUENT: """\
f = counts[counts > 0] / counts.sum()
frequent = -(f * np.log(f)).sum()""",
    SHARE: "share = len(outputs) / len(targets)",
    PLACES: "places = [0, 1, 2, 3, 4, 5]",
}
