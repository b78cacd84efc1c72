def add_and_norm(norm, x, change):
    return norm.forward(np.add(x, change))


def encoder_layer(layer, x, mask):
    z = add_and_norm(layer.norm_1, x, layer.attention.forward(x, mask=mask))
    return add_and_norm(layer.norm_2, z, layer.feed_forward.forward(z))


def encoder_layer_backward(layer, dy):
    dz = layer.norm_2.backward(dy)
    dz += layer.feed_forward.backward(dz.copy())
    dx = layer.norm_1.backward(dz)
    dx += layer.attention.backward(dx.copy())
    return dx


def train(model, optimizer, batches):
    def one_step(ids):
        for p in model.parameters():
            p.grad = np.zeros_like(p.data)
        loss, dlogits = cross_entropy(model.forward(ids), np.array([row[::-1] for row in ids]))
        model.backward(dlogits)
        optimizer.step()
        return loss

    return [one_step(ids) for ids in batches]
