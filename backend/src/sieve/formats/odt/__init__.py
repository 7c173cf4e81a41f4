"""OpenDocument texts: paragraphs as units of text, and a new document as the redacted edition."""

from sieve.formats.odt.reading import OdtReading

__all__ = ["OdtReading"]
