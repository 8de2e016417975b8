"""Results in notebooks: HTML, and a progress bar."""
