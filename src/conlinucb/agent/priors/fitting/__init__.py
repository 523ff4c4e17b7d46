"""From logged feedback to a population: tables, people's statistics, EM, calibration."""
