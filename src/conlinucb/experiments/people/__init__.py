"""Real people: newcomers in real logs, met by everybody from chance to a ceiling."""
