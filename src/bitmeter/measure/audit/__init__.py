"""Whether a figure is what it says: checks of models, and of tables of log-probabilities that other programs wrote."""
