"""PDF: pages as units with their text and images, hidden text, and the streams that may travel plain."""

from sieve.formats.pdf.reading import DISPUTED, PdfReading
from sieve.formats.pdf.rendering import Box

__all__ = ["DISPUTED", "Box", "PdfReading"]
