"""The sandbox: a student's code runs in a process of its own."""
