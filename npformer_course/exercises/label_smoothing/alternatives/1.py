def smooth_targets(targets, vocab_size, eps):
    return smooth_targets_slowly(targets, vocab_size, eps)


def cross_entropy(logits, q, real):
    return cross_entropy_slowly(logits, q, real)


def cross_entropy_backward(logits, q, real):
    return cross_entropy_backward_slowly(logits, q, real)
