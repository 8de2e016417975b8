"""The instrument: what is measured of a text."""
