"""Sends transfers: claims those that are due, plans each attempt, sends both streams, and records the outcome."""
