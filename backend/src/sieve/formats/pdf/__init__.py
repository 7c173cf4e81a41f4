"""PDF: pages with their text and pictures, what is hidden beside them, and what of the file may travel plain."""

from sieve.formats.pdf.reading import PdfReading, read_pdf
from sieve.formats.pdf.rendering import Box

__all__ = ["Box", "PdfReading", "read_pdf"]
