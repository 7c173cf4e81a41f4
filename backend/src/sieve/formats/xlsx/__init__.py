"""Excel workbooks: cells as units of text, and a new workbook as the redacted edition."""

from sieve.formats.xlsx.reading import XlsxReading, read_xlsx

__all__ = ["XlsxReading", "read_xlsx"]
