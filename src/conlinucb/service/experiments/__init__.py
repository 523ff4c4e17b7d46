"""Two or more agents for a catalogue on live traffic: who meets which, and what came of it."""
