"""The audit log: an append-only chain of entries whose signed heads peers keep."""
