"""Documents in RTF with a secret in any of the places that they have, and what such files say."""

from collections.abc import Iterable

from office_files import flat
from sieve.core.errors import SieveError
from sieve.formats.rtf.reading import RtfReading

PLACES = {
    "title": r"{\info{\title About @}{\author @}}",
    "user property": r"{\*\userprops{\propname Who}\proptype30{\staticval @}}",
    "document variable": r"{\*\docvar{who}{@}}",
    "style": r"{\stylesheet{\s0 Normal;}{\s7 @;}{\*\cs10 @;}}",
    "reviser": r"{\*\revtbl{Unknown;}{@;}}",
    "header": r"{\header\pard About @\par}",
    "footer": r"{\footerf\pard About @\par}",
    "footnote": r"\pard Shown{\footnote\pard About @.} here.\par ",
    "endnote": r"\pard Shown{\footnote\ftnalt\pard About @.} here.\par ",
    "comment": r"\pard Shown{\*\atnid @}{\*\atnauthor @}{\*\annotation\pard About @.} here.\par ",
    "hidden text": r"\pard Shown {\v About @} here.\par ",
    "deleted text": r"\pard Shown {\deleted About @} here.\par ",
    "link": r'\pard {\field{\*\fldinst HYPERLINK "https://x.example/@"}{\fldrslt a link}}\par ',
    "result of a field": r"\pard Seen {\field{\*\fldinst REF who}{\fldrslt @}} again.\par ",
    "form field": r"\pard {\field{\*\fldinst FORMTEXT{\*\formfield{\*\ffname who}{\*\ffdeftext @}}}{\fldrslt x}}\par ",
    "bookmark": r"\pard {\*\bkmkstart @}Shown{\*\bkmkend @} here.\par ",
    "index entry": r"\pard Shown{\xe @} here.\par ",
    "unknown group": r"\pard {\*\whoknows About @}Shown.\par ",
    "embedded object": r"{\object\objemb{\*\objclass Package}{\*\objname @}{\*\objdata #}{\result\pard @}}",
    "picture": r"{\pict\wmetafile8 #}",
    "binary picture": "{\\pict\\wmetafile8\\bin11 XQZVK PLMRT}",
    "older picture": r"{\nonshppict{\pict\wmetafile8 #}@}",
    "shape": r"{\shp{\*\shpinst{\sp{\sn wzDescription}{\sv @}}{\shptxt\pard About @\par}}{\shprslt @}}",
    "older drawing": r"{\*\do{\dptxbxtext\pard About @\par}}",
    "numbering": r"\pard{\listtext @\tab}Shown.\par ",
    "text of a numbering": r"{\*\listtable{\list{\listlevel{\leveltext @;}}{\listname @;}}}",
    "two versions": r"{\info{\upr{\title @}{\*\ud{\title @}}}}",
    "copy": r"\pard Again: @.\par ",
    "copy in pieces": r"\pard Again: {\b XQ}ZV{\i K} PL{\*\bkmkstart a}MRT.\par ",
    "copy in bytes": r"\pard Again: \'58\'51\'5a\'56\'4b PLMRT.\par ",
    "copy in Unicode": r"\pard Again: \u88?\u81 Q\uc0\u90\u86 K PLMRT.\par ",
    "copy in fallbacks": r"\pard Again: \u1 X\u1 Q\u1 Z\u1 V\u1 K \u1 P\u1 L\u1 M\u1 R\u1 T.\par ",
    "copy across lines": "\\pard Again: XQ\r\nZVK PLM\nRT.\\par ",
    "copy across cells": r"\trowd\cellx1\cellx2\pard\intbl XQZVK\cell PLMRT\cell\row\pard ",
    "copy with hyphens": r"\pard Again: XQ\-ZVK PL\-MRT.\par ",
    "math": r"{\mmath{\*\moMath{\mr\mscr0 @}}{\mmathPict{\pict\wmetafile8 #}}}",
    "HTML": r"{\*\htmltag64 <p title='@'>}",
}
"""By name: "@" is the place of the secret, "#" that of the secret in hexadecimal digits."""
SECRET = "XQZVK PLMRT"


def rtf(secret: str = SECRET, places: Iterable[str] = ()) -> bytes:
    """A document that says the secret in its second paragraph, and in these places."""
    said = "".join(PLACES[place].replace("@", secret).replace("#", secret.encode().hex()) for place in places)
    return (
        r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil Arial;}{\f1\fcharset204 Arial;}}"
        + r"\pard\plain The green hills lie open.\par"
        + rf"\pard\plain The code is {{\b {secret}}}, said Zo\'eb.\par "
        + rf"\pard\plain The ferry goes {{\i twice}} a day.\par {said}}}"
    ).encode("latin-1")


def rtf_says(data: bytes, text: str) -> bool:
    """Whether `data` says `text` as letters, as hexadecimal digits, or as it is read."""
    said = flat(data.decode("latin-1"))
    if flat(text) in said or text.encode().hex() in said:
        return True
    try:
        units = RtfReading(data if data.startswith(b"{\\rtf") else b"{\\rtf1 " + data + b"}").units()
    except SieveError:
        return False
    return flat(text) in flat("\n".join(unit.text for unit in units))
