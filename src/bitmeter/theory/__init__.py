"""The mathematics: distributions, information, processes, typicality, estimators and rates. Knows nothing of text."""
