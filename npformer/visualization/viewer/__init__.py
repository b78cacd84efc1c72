"""A viewer of attention for notebooks and browsers: one piece of HTML that asks nothing of the network."""

from .viewer import AttentionViewer, page_format

__all__ = ["AttentionViewer", "page_format"]
