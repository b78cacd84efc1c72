def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    dx, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)
    dx += sublayer_backward(np.where(drop == 0, 0, dx * drop.max()))
    return dx, dgain, dbias


def pre_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    gradients = list(layer_norm_backward(sublayer_backward(dy * drop), xhat, rstd, gain))
    gradients[0] = gradients[0] + dy
    return tuple(gradients)
