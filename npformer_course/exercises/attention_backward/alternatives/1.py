def attention_backward(dy, q, k, v, weights):
    dq = np.zeros(q.shape)
    dk = np.zeros(k.shape)
    dv = np.zeros(v.shape)
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            w = weights[b, h]
            dw = dy[b, h] @ v[b, h].T
            dscores = w * dw
            for t in range(len(w)):
                dscores[t] -= w[t] * dscores[t].sum()
            dscores /= math.sqrt(q.shape[3])
            dq[b, h] = dscores @ k[b, h]
            dk[b, h] = dscores.T @ q[b, h]
            dv[b, h] = w.T @ dy[b, h]
    return dq, dk, dv
