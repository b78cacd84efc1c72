"""A process of its own that waits for the end of another, whose pipe its standard input is.

    python last_words.py LINE

It says the line when the other ended without a word, as it does when it is killed.
"""

import sys

if __name__ == "__main__" and not sys.stdin.buffer.read(1):
    sys.exit(sys.argv[1])
