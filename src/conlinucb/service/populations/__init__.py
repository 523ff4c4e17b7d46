"""What people are like in general, learned from the service's own log."""
