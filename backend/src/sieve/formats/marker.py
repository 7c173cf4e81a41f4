"""What stands in a redacted edition for each run of touching marks.

The law: it is always the same, however much it stands for, since its width must not tell.
"""

from typing import Final

MARKER: Final = "█████"
