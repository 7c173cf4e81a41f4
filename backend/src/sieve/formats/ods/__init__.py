"""OpenDocument sheets: cells as units, and a new workbook as the redacted edition."""

from sieve.formats.ods.reading import OdsReading

__all__ = ["OdsReading"]
