"""Grading for teachers: exercises are released, collected and graded."""
