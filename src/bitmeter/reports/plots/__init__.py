"""Single plots of runs, and the specifications that they are drawn from."""
