"""Where a student's code runs: in a child of a process of its own, which ends with all that it has started."""
