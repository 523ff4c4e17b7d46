"""Agents and people for other libraries: import the module that is named for yours."""
