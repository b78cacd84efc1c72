def swiglu_backward(dy, x, before, value, w_gate, w1, w2):
    dx = np.zeros(x.shape)
    dw_gate = np.zeros(w_gate.shape)
    dw1 = np.zeros(w1.shape)
    dw2 = np.zeros(w2.shape)
    for b, t in np.ndindex(x.shape[:2]):
        z = before[b, t]
        power = np.exp(-z)
        gate = z / (1 + power)
        slope = (1 + power + z * power) / (1 + power) ** 2
        back = w2 @ dy[b, t]
        dw2 += np.outer(gate * value[b, t], dy[b, t])
        dw1 += np.outer(x[b, t], back * gate)
        dw_gate += np.outer(x[b, t], back * value[b, t] * slope)
        dx[b, t] = w1 @ (back * gate) + w_gate @ (back * value[b, t] * slope)
    return dx, dw_gate, dw1, dw2
