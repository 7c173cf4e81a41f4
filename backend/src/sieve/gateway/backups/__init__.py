"""Backups of a gateway's data, restoring them, and moving the data to another place."""
