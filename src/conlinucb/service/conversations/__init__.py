"""Conversations with people: what is decided, written to the log, and shown of it."""
