"""What grading writes for other programs and for people, a file each; and what goes out to a class. No arithmetic."""
