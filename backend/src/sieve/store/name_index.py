"""What the index of parts of names is called, and which version of it this program reads.

It makes a search for a rare word independent of how many documents there are. SQLite has it as two full-text tables
(`sqlite_name_index`), PostgreSQL as two indexes of trigrams (`postgres_name_index`). A database may lack it: then a
search reads the names one by one. `queries.name_search` asks it.
"""

import unicodedata
from typing import Final

SHORTEST: Final = 3
"""Letters of the shortest part that it finds."""
VERSION: Final = f"1, Unicode {unicodedata.unidata_version}"
"""Of the index. What it holds is folded, so it is made again when Python's Unicode is another one."""
HAS_NAMES: Final = "SELECT EXISTS (SELECT 1 FROM transfers) OR EXISTS (SELECT 1 FROM received)"
"""Whether there is something to make it of."""
MAKING: Final = "making the index of parts of names in the database %s: a minute or two for a million transfers"
"""For the log, so that a long start has a reason."""
