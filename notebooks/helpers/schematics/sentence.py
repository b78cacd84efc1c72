"""The sentence that goes through the whole course."""

SOURCE = ["I", "turn", "off", "the", "new", "radio", "every", "day", "."]
TARGET = ["Ich", "schalte", "jeden", "Tag", "das", "neue", "Radio", "aus", "."]
PHRASE = ["turn", "off", "the", "new", "radio"]  # where words need one another
