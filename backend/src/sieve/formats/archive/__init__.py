"""Zip archives: unpacked for the leak scanner; and as a format, whose files are read in their own formats."""
