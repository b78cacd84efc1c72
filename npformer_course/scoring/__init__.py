"""Scores of the projects: a language model of a given text, a translator on hidden sentences."""
