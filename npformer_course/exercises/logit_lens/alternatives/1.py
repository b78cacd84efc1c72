def logit_lens(states, gain, bias, eps, table):
    normed = [layer_norm(state, gain, bias, eps)[0] for state in states]
    return np.stack([y @ table.transpose() for y in normed])


def ranks(logits, right):
    # where the right token is among all, sorted from the largest
    order = np.argsort(-logits, -1)
    return (order == right[:, None]).argmax(-1)
