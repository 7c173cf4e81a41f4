"""`sieve lab batch-rsa`: batch RSA, measured, and in handshakes of TLS 1.2 with real clients."""

from sieve.cli.lab.batch_rsa.command import batch_rsa

__all__ = ["batch_rsa"]
