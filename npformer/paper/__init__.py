"""Tables 1 and 3 of the paper, measured, and the cost of a model as table 2 counts it."""
