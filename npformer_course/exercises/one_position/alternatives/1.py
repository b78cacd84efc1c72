def residual(x, f):
    return [one + other for one, other in zip(x, f)]


def normalize(z, gain, bias, eps):
    mean = sum(z) / len(z)
    var = sum((number - mean) ** 2 for number in z) / len(z)
    y = []
    for number, g, b in zip(z, gain, bias):
        y.append(g * (number - mean) / math.sqrt(var + eps) + b)
    return y
