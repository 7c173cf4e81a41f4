"""Word documents: paragraphs as units of text, and a new document as the redacted edition."""

from sieve.formats.docx.reading import DocxReading

__all__ = ["DocxReading"]
