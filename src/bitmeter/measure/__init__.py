"""The instrument: how many bits a model needs for a text, how sure that is, and which of two models needs fewer."""
