"""Text in UTF-8: its marks as spans of bytes, and the check that content really is text."""
