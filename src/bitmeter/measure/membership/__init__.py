"""Statistics by which texts of the training data, or of a model's own making, are looked for: numbers, no verdicts."""
