"""Results as tables of named columns, for the one writer of tables."""
