"""The step debugger of the classroom: a student's own lines on a draw on which they are wrong."""
