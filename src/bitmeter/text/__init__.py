"""What is measured: text, and the symbols it is split into."""
