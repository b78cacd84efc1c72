"""How often each character follows the two before it: a language model without parameters."""

import numpy as np

N = 2  # characters that are remembered


def train(text, seconds):
    """Return a function that predicts the next character.

    seconds is the processor time left for this call; counting needs hardly any.
    """
    characters = sorted(set(text))
    ids = {character: i for i, character in enumerate(characters)}

    # counts[context] has a number for each character that came after this context
    counts = {}
    for n in range(N + 1):
        for i in range(n, len(text)):
            context = text[i - n : i]
            if context not in counts:
                counts[context] = np.full(len(characters), 0.01)
            counts[context][ids[text[i]]] += 1

    def predict(beginnings):
        """Return the probabilities (n, V) of the next character of n beginnings.

        V are the characters of the text, sorted.
        """
        rows = []
        for beginning in beginnings:
            context = beginning[-N:]
            while context not in counts:
                context = context[1:]
            rows.append(counts[context] / counts[context].sum())
        return np.array(rows)

    return predict
