"""Who answers: people with a hidden taste, and what each round brings them."""
