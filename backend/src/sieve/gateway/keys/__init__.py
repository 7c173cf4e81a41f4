"""The master key: where it comes from, and its change."""
