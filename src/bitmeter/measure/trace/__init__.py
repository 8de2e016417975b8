"""Traces: what each unit costs."""
