def rms_norm(x, gain, eps):
    B, T, D = x.shape
    rows = x.reshape(B * T, D)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    xhat = rows * np.sqrt(D / (norms**2 + D * eps))
    scale = np.sqrt(D / (norms**2 + D * eps)).reshape(B, T, 1)
    return (xhat @ np.diag(gain)).reshape(B, T, D), xhat.reshape(B, T, D), scale


def rms_norm_backward(dy, xhat, scale, gain):
    # through the scale first: y = gain * x * scale, and dscale/dx_j = -scale^2 * xhat_j / D
    x = xhat / scale
    dscale = (dy * gain * x).sum(-1, keepdims=True)
    dx = dy * gain * scale - dscale * scale**2 * xhat / len(gain)
    return dx, (dy * xhat).sum(0).sum(0)
