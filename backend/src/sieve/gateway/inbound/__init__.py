"""Receives documents from peers: checks each attempt, takes both streams, integrates, commits and signs the receipt."""
