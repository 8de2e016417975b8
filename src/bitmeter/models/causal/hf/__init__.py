"""Models of Hugging Face transformers."""
