"""What is written in notebook 24b, right and wrong."""

Q = "q = ...  # of the same shape"
WHOLE = "whole = ...  # one number; lines before it may help"

FOLLOW = "follow = ...  # a list of five, True or False"

ANSWERS = {
    FOLLOW: "follow = [True, False, False, True, False]",
    Q: "q = right / right.sum(-1, keepdims=True)",
    WHOLE: """\
chances = []
for line in sources:
    chances.append(np.prod([1 / len(couplet_language.allowed(character)) for character in line]))
whole = np.mean(chances)""",
}
WRONG = {
    "score_ceiling": "def score_ceiling(q):\n    return (q * q).sum(-1).mean() * 0.9\n",
    Q: "q = right / right.sum()",
    WHOLE: "whole = ceiling**5",
}
