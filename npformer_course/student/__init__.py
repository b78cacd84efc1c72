"""The student's side: a folder of exercises that is watched, notebooks, progress, and a model of one's own layers."""
