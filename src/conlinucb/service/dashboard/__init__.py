"""How the service is doing, for those who run it: people in general, and nobody in particular."""
