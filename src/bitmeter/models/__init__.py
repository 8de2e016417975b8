"""Who predicts: models know units and probabilities, and nothing of measuring."""
