"""Word documents: paragraphs as units of text, and a new document as the redacted edition."""

from sieve.formats.docx.reading import DocxReading, read_docx

__all__ = ["DocxReading", "read_docx"]
