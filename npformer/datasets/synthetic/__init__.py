"""Data sets made by our own code, from a seed."""
