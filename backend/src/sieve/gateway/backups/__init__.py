"""Backups of a gateway's data, and restoring them."""
