"""A text and what kind of text it is."""

from typing import NamedTuple


class LabelledText(NamedTuple):
    """The name of a class, and a text of that class; in this order they stand in a .tsv file, with a tab between.

    >>> label, text = LabelledText("NUM", "How many feet in a mile ?")
    >>> label
    'NUM'
    """

    label: str
    text: str
