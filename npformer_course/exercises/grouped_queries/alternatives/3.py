def grouped_attention(q, k, v):
    # the queries of a group below each other, as if they were R T queries of one head
    B, H, T, d_k = q.shape
    G, S = k.shape[1:3]
    rows = q.reshape(B, G, H // G * T, d_k)
    weights = softmax(np.einsum("bgnk,bgsk->bgns", rows, k) * d_k**-0.5)
    y = np.einsum("bgns,bgsv->bgnv", weights, v)
    return y.reshape(B, H, T, v.shape[-1]), weights.reshape(B, H, T, S)
