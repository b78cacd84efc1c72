"""The teacher's desk: exercises are handed out, collected and graded. What is written for other programs: outputs/."""
