"""How texts of the gateway are set in the web interface, whose own have typographic apostrophes."""

import re
from typing import Final

_APOSTROPHE: Final = re.compile(r"(?<=[\w}])'")


def typographic(text: str) -> str:
    """The text with typographic apostrophes.

    >>> typographic("this gateway's peers' keys")
    'this gateway’s peers’ keys'
    """
    return _APOSTROPHE.sub("’", text)
