"""The generators of npformer/datasets/files/: a grammar of two languages, and written dates."""
