"""Models that need no training: uniform, tables, order-0 counts, compressors."""
