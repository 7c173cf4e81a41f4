"""What shows the marks of a received file; apart from `received_marks`, which loads the parsers of files."""

from typing import Literal

Basis = Literal["marks", "spans", "edition", "parts"]
"""What shows the marks. `marks`: they came with the file. `parts`: nothing shows more than which parts of the file are
classified."""
