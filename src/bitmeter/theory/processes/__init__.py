"""Random processes: independent draws, Markov chains, hidden Markov processes, mixtures."""
