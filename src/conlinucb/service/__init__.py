"""The service: a conversation about a catalogue over HTTP, with a log that loses nothing."""
