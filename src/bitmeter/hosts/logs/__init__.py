"""The logs of other tools, with log-probabilities in them, as runs and traces."""
