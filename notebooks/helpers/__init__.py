"""What the notebooks share: pictures, models from elsewhere, and trainings too long for a cell."""
