"""Public test sets: their names, hashes, licences and sources, and how they are fetched when asked."""
