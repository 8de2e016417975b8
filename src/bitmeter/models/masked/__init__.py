"""Masked language models, which are no distribution over texts: for minimal pairs alone."""
