"""Security Sieve."""

import sys
from types import ModuleType
from typing import cast

# httpx imports the command that comes with it, and with that rich and pygments, which takes each process that uses
# httpx a tenth of a second. None ends that import; httpx then does without.
cast(dict[str, ModuleType | None], sys.modules).setdefault("httpx._main", None)  # Python allows it, typeshed does not
