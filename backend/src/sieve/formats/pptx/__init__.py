"""PowerPoint presentations: paragraphs of slides as units of text, and a new presentation as the redacted edition."""

from sieve.formats.pptx.reading import PptxReading

__all__ = ["PptxReading"]
