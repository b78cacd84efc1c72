"""The student's side: a watched folder of exercises, notebooks, progress, and own layers."""
