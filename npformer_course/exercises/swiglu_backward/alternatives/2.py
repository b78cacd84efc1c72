def swiglu_backward(dy, x, before, value, w_gate, w1, w2):
    s = 0.5 + 0.5 * np.tanh(before / 2)
    gate = s * before
    slope = gate + s * (1 - gate)
    back = np.einsum("btd,fd->btf", dy, w2)
    one = np.einsum("btf,btf,btf->btf", back, value, slope)
    other = np.einsum("btf,btf->btf", back, gate)
    dx = np.einsum("btf,df->btd", one, w_gate)
    dx += np.einsum("btf,df->btd", other, w1)
    dw_gate = np.tensordot(x, one, ([0, 1], [0, 1]))
    dw1 = np.tensordot(x, other, ([0, 1], [0, 1]))
    return dx, dw_gate, dw1, np.tensordot(gate * value, dy, ([0, 1], [0, 1]))
