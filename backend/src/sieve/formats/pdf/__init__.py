"""PDF: pages as units with their text and images, hidden text, and the streams that may travel plain."""

from sieve.formats.pdf.reading import PdfReading, read_pdf
from sieve.formats.pdf.rendering import Box

__all__ = ["Box", "PdfReading", "read_pdf"]
