"""A process of its own that waits for the end of another, whose pipe its standard input is.

    python last_words.py LINE

It says the line when the other ended without a word, as it does when it is killed.
"""

import signal
import sys

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C comes to all, and the other one saves first
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if not sys.stdin.buffer.read(1):
        sys.exit(sys.argv[1])
