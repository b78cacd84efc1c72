ANSWERS = {}
WRONG = {
    "draw_tokens": ("def draw_tokens(probabilities, u):\n    return probabilities.argmax(-1)\n"),
    "nucleus": "def nucleus(probabilities, p):\n    return probabilities >= p\n",
}
