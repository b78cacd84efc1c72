"""Files for people and other programs, one module per format."""
