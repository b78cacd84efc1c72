"""The diagnosis of a wrong answer: no arrays, known mistakes and pairs of them, facts, numbers."""
