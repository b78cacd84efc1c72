"""Exercises in which students write the Transformer, the doctor that names a mistake, and the teacher's desk.

Nothing here trains or decodes by itself, and nothing prints: cli/ does.
"""
