"""What is written in notebook 05b, right and wrong."""

BLOCK = "block = ...  # (2, 2), from omega and k"
RIGHT = """\
sine, cosine = np.sin(omega * k), np.cos(omega * k)
block = np.array([[cosine, sine], [-sine, cosine]])"""

ANSWERS = {BLOCK: RIGHT}
WRONG = {BLOCK: RIGHT + ".T"}
