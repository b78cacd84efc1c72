def decoder_layer(x, memory, self_mask, cross_mask, w, n_heads):
    def add_and_norm(x, sublayer, name):
        own = part_of(w, name)
        return norm(x + sublayer(x, part_of(own, "sublayer")), part_of(own, "norm"))

    x = add_and_norm(x, lambda x, w: multi_head(x, x, self_mask, w, n_heads), "self_attention")
    x = add_and_norm(
        x, lambda x, w: multi_head(x, memory, cross_mask, w, n_heads), "cross_attention"
    )
    return add_and_norm(x, network, "feed_forward")
