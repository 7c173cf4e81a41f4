"""Tags and attributes that may travel plain, because they reveal nothing of the text around them.

Invariant: only what is listed here travels plain, and is in a redacted edition. Links, names, titles, sizes and
anything unknown are not: they may repeat or measure what is marked.
"""

import re
from collections.abc import Iterable
from typing import Final

from sieve.formats.html.tokens import Kind, Token
from sieve.formats.phrases import Phrases, bare, derived_names

STRUCTURE: Final = frozenset({"html", "head", "title", "body"})
"""Elements that an edition writes itself."""
_SHOWN_NAMES: Final = (
    "a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code dd del details dfn dir"
    " div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd legend li main mark menu"
    " nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead"
    " time tr tt u ul var wbr"
)
SHOWN: Final = frozenset(_SHOWN_NAMES.split())
_ATTRIBUTE_NAMES: Final = (
    "class lang dir align valign colspan rowspan start type scope border cellpadding cellspacing bgcolor color face"
    " size clear nowrap style"
)
_ATTRIBUTES: Final = frozenset(_ATTRIBUTE_NAMES.split())
_DECLARATION_NAMES: Final = (
    "background background-color border border-bottom border-collapse border-color border-left border-right"
    " border-spacing border-style border-top border-width color font font-family font-size font-style font-variant"
    " font-weight letter-spacing line-height list-style list-style-type margin margin-bottom margin-left margin-right"
    " margin-top padding padding-bottom padding-left padding-right padding-top text-align text-decoration text-indent"
    " text-transform vertical-align white-space"
)
_DECLARATIONS: Final = frozenset(_DECLARATION_NAMES.split())
_VALUE: Final = re.compile(r"[\w #%.,!()'\"-]*", re.ASCII)
_STYLE_ESCAPES: Final = re.compile(r"url|expression|[\\@/]", re.IGNORECASE)
_MOST_CHARACTERS: Final = 500


_KNOWN: Final = SHOWN | STRUCTURE


class PlainTags:
    """Decides about tags of a page in which `texts` are marked. `bare_tags`: none with attributes may travel plain."""

    def __init__(self, texts: Iterable[str] = (), *, bare_tags: bool = False) -> None:
        texts = set(texts)
        self._bare_tags = bare_tags
        self._texts = Phrases(texts, distinctive=True)
        self._names = Phrases(derived_names(texts), wordy=True)
        self._known: dict[str, bool] = {}

    def may_travel_plain(self, token: Token, source: str) -> bool:
        """Whether a tag may travel plain as it is written."""
        if token.name not in _KNOWN or token.hidden or (self._bare_tags and token.attributes):
            return False
        if token.kind is Kind.END or not token.attributes:
            return not token.attributes and len(source) <= len(token.name) + 4
        if source not in self._known:
            self._known[source] = len(source) <= _MOST_CHARACTERS and all(
                self._keeps(name, value) == value for name, value in token.attributes
            )
        return self._known[source]

    def kept(self, token: Token) -> list[tuple[str, str]]:
        """The attributes of a tag for an edition. Classes are left out, as style sheets are."""
        kept = ((name, self._keeps(name, value)) for name, value in token.attributes if name != "class")
        return [(name, value) for name, value in dict(kept).items() if value is not None]

    def _keeps(self, name: str, value: str) -> str | None:
        """What may be kept of a value; None if nothing may."""
        if name not in _ATTRIBUTES or self._tells(value):
            return None
        if name == "style":
            return ";".join(one for one in value.split(";") if _may_keep_style(one)) or None
        return value if _VALUE.fullmatch(value) else None

    def _tells(self, value: str) -> bool:
        return self._texts.in_text(value) or self._names.in_text(bare(value))


def _may_keep_style(declaration: str) -> bool:
    name, colon, value = declaration.partition(":")
    if not colon:
        return not name.strip()
    return (
        name.strip().lower() in _DECLARATIONS
        and _VALUE.fullmatch(value.strip()) is not None
        and not _STYLE_ESCAPES.search(value)
    )
