"""The diagnosis of a wrong answer: no arrays, known mistakes, facts, and the numbers."""
