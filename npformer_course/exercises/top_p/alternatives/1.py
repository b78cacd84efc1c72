def nucleus(probabilities, p):
    return nucleus_slowly(probabilities, p)


def top_p_probabilities(logits, temperature, p):
    scaled = logits / temperature
    scaled[~nucleus_slowly(softmax(scaled), p)] = -np.inf
    return softmax(scaled)


def draw_tokens(probabilities, u):
    return draw_tokens_slowly(probabilities, u)
