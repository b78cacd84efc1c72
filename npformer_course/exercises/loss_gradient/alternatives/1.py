def cross_entropy(z, q):
    largest = max(z)
    log_total = largest + math.log(sum(math.exp(score - largest) for score in z))
    return sum(target * (log_total - score) for score, target in zip(z, q))


def gradient(z, q):
    largest = max(z)
    powers = [math.exp(score - largest) for score in z]
    return [power / sum(powers) - target for power, target in zip(powers, q)]
