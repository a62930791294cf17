"""What people taught and what worked: recipes, choices, corrections and datasets."""
