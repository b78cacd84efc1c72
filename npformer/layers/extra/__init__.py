"""Layers that are not in figure 1: recurrent, convolutional and newer ones, and poolings."""
