"""Files that a student can begin with: language models to be scored."""
