"""What is written in notebook 21, right and wrong."""

BROKEN = "broken = ...  # four numbers"

ANSWERS = {BROKEN: "broken = [4, 3, 5, 3]"}
WRONG = {
    "count_matches": """\
def count_matches(translation, reference, n):
    own = [tuple(translation[i : i + n]) for i in range(len(translation) - n + 1)]
    theirs = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
    return sum(gram in theirs for gram in own), len(own)
""",
    BROKEN: "broken = [4, 4, 4, 4]",
}
