"""What is written in notebook 08, right and wrong."""

BEST = "    best = ...  # two lines: the logits of np.array([written]), (1, T); then a number from them"
MEMORY = "    memory = ...  # three to six lines"
Z = "    z = ...  # four to seven lines"
ANSWERS = {
    MEMORY: """\
    memory = add_positions(embed(src, table), positions, 0)
    for n in range(N):
        w = part_of(W, f"encoder.layers.{n}")
        memory = encoder_layer(memory, padding_mask(src, PAD), w, H)""",
    Z: """\
    x = add_positions(embed(tgt, table), positions, 0)
    for n in range(N):
        w = part_of(W, f"decoder.layers.{n}")
        x = decoder_layer(x, memory, target_mask(tgt, PAD), memory_mask, w, H)
    z = x @ table.T""",
    BEST: """\
    z = logits(np.array([written]), memory, memory_mask)
    best = z[0, -1].argmax()""",
}
WRONG = {
    "decoder_layer": """\
def decoder_layer(x, memory, self_mask, cross_mask, w, n_heads):
    attended = multi_head(x, x, self_mask, part_of(w, "self_attention.sublayer"), n_heads)
    u = norm(x + attended, part_of(w, "self_attention.norm"))
    found = multi_head(x, memory, cross_mask, part_of(w, "cross_attention.sublayer"), n_heads)
    v = norm(u + found, part_of(w, "cross_attention.norm"))
    return norm(v + network(v, part_of(w, "feed_forward.sublayer")), part_of(w, "feed_forward.norm"))
""",
    MEMORY: """\
    memory = add_positions(embed(src, table), positions, 0)
    for n in range(N):
        w = part_of(W, "encoder.layers.0")
        memory = encoder_layer(memory, padding_mask(src, PAD), w, H)""",
    Z: """\
    x = embed(tgt, table)
    for n in range(N):
        w = part_of(W, f"decoder.layers.{n}")
        x = decoder_layer(x, memory, target_mask(tgt, PAD), memory_mask, w, H)
    z = x @ table.T""",
}
