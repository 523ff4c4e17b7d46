"""Catalogues in service: their versions, uploads and settings."""
