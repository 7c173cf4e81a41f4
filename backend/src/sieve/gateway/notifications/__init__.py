"""Tells people and applications outside the gateway that a document arrived: e-mail and webhooks."""
