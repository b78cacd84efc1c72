"""What made the data sets in npformer/datasets/files/: a grammar of two languages, and written dates."""
