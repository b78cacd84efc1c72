"""One file an exercise: its text, stub, solution, checks, mistakes and hints, in the order of the course."""
