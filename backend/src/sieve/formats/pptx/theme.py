"""The theme of a redacted edition whose own theme is withheld: every master needs one."""

from typing import Final

_COLOURS: Final = {
    **{"dk1": "000000", "lt1": "FFFFFF", "dk2": "44546A", "lt2": "E7E6E6", "accent1": "4472C4", "accent2": "ED7D31"},
    **{"accent3": "A5A5A5", "accent4": "FFC000", "accent5": "5B9BD5", "accent6": "70AD47", "hlink": "0563C1"},
    "folHlink": "954F72",
}
_FILL: Final = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
_FONT: Final = '<a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/>'


def plain_theme(space: str) -> bytes:
    """A theme; `space`: the namespace of drawings."""
    colours = "".join(f'<a:{name}><a:srgbClr val="{value}"/></a:{name}>' for name, value in _COLOURS.items())
    line, effect = f'<a:ln w="6350">{_FILL}</a:ln>', "<a:effectStyle><a:effectLst/></a:effectStyle>"
    return (
        f'<a:theme xmlns:a="{space}" name=""><a:themeElements><a:clrScheme name="">{colours}</a:clrScheme>'
        f'<a:fontScheme name=""><a:majorFont>{_FONT}</a:majorFont><a:minorFont>{_FONT}</a:minorFont></a:fontScheme>'
        f'<a:fmtScheme name=""><a:fillStyleLst>{_FILL * 3}</a:fillStyleLst><a:lnStyleLst>{line * 3}</a:lnStyleLst>'
        f"<a:effectStyleLst>{effect * 3}</a:effectStyleLst><a:bgFillStyleLst>{_FILL * 3}</a:bgFillStyleLst>"
        "</a:fmtScheme></a:themeElements></a:theme>"
    ).encode()
