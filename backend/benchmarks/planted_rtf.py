"""Documents in RTF with a sentence in any of the places that they have."""

from collections.abc import Sequence

PLACES = (
    *("title", "author", "style", "header", "footnote", "comment", "hidden text", "deleted text", "link"),
    *("result of a field", "bookmark", "unknown group", "text box", "table", "two runs", "bytes", "description"),
)


def rtf(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    """A document."""
    said = {place: _written(text) for place, text in asides.items()}
    forms = {
        "header": r"{\header\pard @\par}",
        "footnote": r"\pard Shown{\footnote\pard @} here.\par ",
        "comment": r"\pard Shown{\*\annotation\pard @} here.\par ",
        "hidden text": r"\pard Shown {\v @} here.\par ",
        "deleted text": r"\pard Shown {\deleted @} here.\par ",
        "link": r'\pard {\field{\*\fldinst HYPERLINK "https://example.org/@"}{\fldrslt more}}\par ',
        "result of a field": r"\pard {\field{\*\fldinst REF a}{\fldrslt @}}\par ",
        "bookmark": r"\pard {\*\bkmkstart @}Shown\par ",
        "unknown group": r"\pard {\*\somebody @}Shown\par ",
        "text box": r"{\shp{\*\shpinst{\shptxt\pard @\par}}}",
        "table": r"\trowd\cellx3000\cellx6000\pard\intbl @\cell 1\cell\row\pard ",
        "description": r"{\shp{\*\shpinst{\sp{\sn wzDescription}{\sv @}}}}",
    }
    extra = "".join(form.replace("@", said[place]) for place, form in forms.items() if place in said)
    if "two runs" in asides:
        half = len(asides["two runs"]) // 2
        extra += rf"\pard {_written(asides['two runs'][:half])}{{\b {_written(asides['two runs'][half:])}}}\par "
    if "bytes" in asides:
        raw = asides["bytes"].encode("cp1252", "replace")
        extra += r"\pard " + "".join(rf"\'{byte:02x}" for byte in raw) + r"\par "
    info = "".join(rf"{{\{place} {said[place]}}}" for place in ("title", "author") if place in said)
    styles = rf"{{\stylesheet{{\s0 Normal;}}{{\s7 {said['style']};}}}}" if "style" in said else ""
    body = "".join(rf"\pard {_written(text)}\par{chr(10)}" for text in paragraphs)
    return rf"{{\rtf1\ansi\ansicpg1252\deff0{{\fonttbl{{\f0 Arial;}}}}{styles}{{\info{info}}}{body}{extra}}}".encode(
        "ascii"
    )


def _written(text: str) -> str:
    return "".join(_character(character) for character in text)


def _character(character: str) -> str:
    if character in "\\{}":
        return f"\\{character}"
    if character == "\n":
        return r"\line "
    if character == "\t":
        return r"\tab "
    if " " <= character <= "~":
        return character
    units = character.encode("utf-16-le")
    values = (int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2))
    return "".join(f"\\u{value}?" for value in values)
