"""Documents at rest: taking them in, drafts with their labels, redacted editions, retention and verification."""
