def links(weights):
    return np.eye(weights.shape[1], dtype=bool)[weights.argmax(1)]


def alignment_error_rate(found, gold):
    precision = np.mean(gold[found])
    recall = np.mean(found[gold])
    if precision + recall == 0:
        return 1.0
    return 1 - 2 * precision * recall / (precision + recall)
