"""Layers that are not in figure 1: what self-attention replaced, what came after 2017, other activations, poolings."""
