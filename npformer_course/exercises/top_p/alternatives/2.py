def nucleus(probabilities, p):
    ordered = np.sort(probabilities, axis=-1)[:, ::-1]
    n = (ordered.cumsum(-1) < p).sum(-1)
    smallest = ordered[np.arange(len(n)), n]
    return probabilities >= smallest[:, np.newaxis]


def top_p_probabilities(logits, temperature, p):
    weights = np.exp((logits - logits.max(axis=1, keepdims=True)) / temperature)
    whole = weights / weights.sum(axis=1, keepdims=True)
    weights *= nucleus(whole, p)
    return (weights.T / weights.sum(axis=1)).T


def draw_tokens(probabilities, u):
    tokens = []
    for row, one in zip(probabilities, u):
        tokens.append(np.searchsorted(np.cumsum(row), one, side="right"))
    return np.array(tokens)
