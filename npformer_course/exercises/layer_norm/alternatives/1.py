def layer_norm(x, gain, bias, eps):
    return layer_norm_slowly(x, gain, bias, eps)
