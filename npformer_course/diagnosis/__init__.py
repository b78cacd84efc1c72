"""The diagnosis of a wrong answer: what came instead of arrays, known mistakes, facts, and the numbers."""
