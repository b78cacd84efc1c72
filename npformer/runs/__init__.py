"""A whole training as files: recipes, settings, the run folder, epochs.

Nothing here may print: what a terminal shows is decided in cli/.
"""
