"""The signals that ask a process to end: Ctrl-C, kill, and a terminal that is closed. Windows has no SIGHUP."""

import signal

ASKED_TO_END = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
