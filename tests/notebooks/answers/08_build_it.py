"""What is written in notebook 08, right and wrong."""

V_LINE = "    v = ...  # one or two lines"
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
    V_LINE: """\
    found = multi_head(u, memory, cross_mask, part_of(w, "cross_attention.sublayer"), n_heads)
    v = norm(u + found, part_of(w, "cross_attention.norm"))""",
}
WRONG = {
    V_LINE: """\
    found = multi_head(u, memory, cross_mask, part_of(w, "cross_attention.sublayer"), n_heads)
    v = norm(found, part_of(w, "cross_attention.norm"))""",
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
