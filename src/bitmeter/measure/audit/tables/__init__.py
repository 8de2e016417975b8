"""Tables of log-probabilities that other programs wrote: read, laid over the raw text, checked and scored."""
