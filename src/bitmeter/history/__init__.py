"""Runs that the command line remembers, in a database of the user."""
