"""The report: one HTML file with nothing fetched, made of saved results alone."""
