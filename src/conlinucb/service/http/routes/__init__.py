"""Thin routes: from HTTP to the use cases and back."""
