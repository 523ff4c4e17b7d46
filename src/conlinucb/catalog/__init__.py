"""What can be recommended: arms with features, and key-terms that are weighted means of arms."""
