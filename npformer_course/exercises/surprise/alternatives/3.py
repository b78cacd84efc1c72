def surprise(logits, ids):
    # how much higher every other logit is than the right one
    one_hot = np.eye(logits.shape[1], dtype=bool)[ids]
    above = logits - logits[one_hot][:, None]
    largest = above.max(axis=1)
    return largest + np.log(np.exp(above - largest[:, None]).sum(axis=1))


def bits_per_character(nats):
    return np.mean([of_character / math.log(2) for of_character in nats])
