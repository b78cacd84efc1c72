def nucleus(probabilities, p):
    # (B, V, V): which tokens come before each
    heavier = probabilities[:, None, :] > probabilities[:, :, None]
    return (heavier * probabilities[:, None, :]).sum(-1) < p


def top_p_probabilities(logits, temperature, p):
    rows = []
    for row in logits:
        q = softmax(row / temperature)
        q = q * nucleus(q[None], p)[0]
        rows.append(q / np.sum(q))
    return np.stack(rows)


def draw_tokens(probabilities, u):
    return np.argmax(np.cumsum(probabilities, axis=-1) > np.expand_dims(u, -1), axis=-1)
