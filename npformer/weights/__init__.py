"""Tables of names: weights of other programs read and written.

Nothing here may import those programs; arrays by name come in, and go out.
"""
