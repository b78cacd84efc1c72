def layer_norm_backward(dy, xhat, rstd, gain):
    return layer_norm_backward_slowly(dy, xhat, rstd, gain)
