"""Excel workbooks: cells as units of text, and a new workbook as the redacted edition."""

from sieve.formats.xlsx.reading import XlsxReading

__all__ = ["XlsxReading"]
