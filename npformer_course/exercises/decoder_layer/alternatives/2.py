def decoder_layer(x, memory, self_mask, cross_mask, w, n_heads):
    B, T, D = x.shape
    y = np.zeros((B, T, D))
    for b in range(B):
        now = x[b][None]
        for name in ("self_attention", "cross_attention", "feed_forward"):
            own = part_of(w, f"{name}.sublayer")
            if name == "self_attention":
                change = multi_head(now, now, self_mask[[b]], own, n_heads)
            elif name == "cross_attention":
                change = multi_head(now, memory[[b]], cross_mask[[b]], own, n_heads)
            else:
                change = network(now, own)
            total = now + change
            total -= np.mean(total, axis=-1, keepdims=True)
            total /= np.sqrt(np.mean(total**2, axis=-1, keepdims=True) + 1e-6)
            now = total * w[f"{name}.norm.gain"] + w[f"{name}.norm.bias"]
        y[b] = now[0]
    return y
