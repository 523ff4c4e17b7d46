"""The command ``conlinucb``: one module for each command."""
