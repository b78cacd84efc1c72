def encoder_layer(layer, x, mask):
    r = layer.attention.forward(x, mask)
    r = r + x
    z = layer.norm_1.forward(r)
    s = layer.feed_forward.forward(z)
    s += z
    return layer.norm_2.forward(s)


def encoder_layer_backward(layer, dy):
    dx = dy
    for norm, inner in ((layer.norm_2, layer.feed_forward), (layer.norm_1, layer.attention)):
        dx = norm.backward(dx)
        dx = dx + inner.backward(dx)
    return dx


def train(model, optimizer, batches):
    losses = np.zeros(len(batches))
    for n, ids in enumerate(batches):
        targets = np.flip(ids, axis=1)
        losses[n], dlogits = cross_entropy(model.forward(ids), targets)
        model.backward(dlogits)
        optimizer.step()
        for p in model.parameters():
            p.grad.fill(0)
    return losses
