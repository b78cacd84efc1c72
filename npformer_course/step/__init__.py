"""The step debugger of the course: a student's own lines on a draw on which they are wrong."""
