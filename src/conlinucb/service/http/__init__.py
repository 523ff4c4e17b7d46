"""From HTTP to the use cases and back: the application, who may come in, routes, bodies."""
