"""Small networks trained here."""
