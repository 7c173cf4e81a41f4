"""The benchmark is no part of the package: its folder is put where Python looks."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
