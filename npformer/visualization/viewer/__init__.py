"""A viewer of attention for notebooks and browsers, as one piece of HTML that loads nothing."""

from .viewer import AttentionViewer, page_format

__all__ = ["AttentionViewer", "page_format"]
