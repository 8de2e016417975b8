"""Surprisals of words: what each cost, with the space that ends it accounted for, as reading-time studies need them."""
