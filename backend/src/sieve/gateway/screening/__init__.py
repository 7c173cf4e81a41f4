"""Checks documents for leaks before they are sent, by the leak guard and by policies."""
