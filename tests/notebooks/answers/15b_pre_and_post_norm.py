"""What is written in notebook 15b, right and wrong."""

DX = "dx = ...  # from dy, with f.backward and norm.backward"

ANSWERS = {DX: "dx = dy + norm.backward(f.backward(dy))"}
WRONG = {DX: "dx = dy + f.backward(dy)"}
