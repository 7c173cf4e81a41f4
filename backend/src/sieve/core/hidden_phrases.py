"""How text and content of files are hidden, as sentences for people.

The formats say it in English, in `Unit.hidden`. A phrase that is not listed here stays English in every language.
"""

import re
from typing import Final

from sieve.core.sentence import Sentence

_KNOWN: Final = {
    str(phrase): phrase
    for phrase in (
        Sentence("hidden-bibliography-entry", "a bibliography entry"),
        Sentence("hidden-bookmark", "a bookmark"),
        Sentence("hidden-caption", "a caption"),
        Sentence("hidden-cell-under-a-merged-one", "a cell under a merged one"),
        Sentence("hidden-choice-of-a-list", "a choice of a list"),
        Sentence("hidden-comment", "a comment"),
        Sentence("hidden-condition", "a condition"),
        Sentence("hidden-connection", "a connection"),
        Sentence("hidden-default-of-a-form-field", "a default of a form field"),
        Sentence("hidden-defined-name", "a defined name"),
        Sentence("hidden-description", "a description"),
        Sentence("hidden-description-for-screen-readers", "a description for screen readers"),
        Sentence("hidden-document-variable", "a document variable"),
        Sentence("hidden-field-code", "a field code"),
        Sentence("hidden-field-of-a-database", "a field of a database"),
        Sentence("hidden-field-of-a-mail-merge", "a field of a mail merge"),
        Sentence("hidden-file-beyond-the-limits-for-one-archive", "a file beyond the limits for one archive"),
        Sentence("hidden-file-of-an-unsupported-format", "a file of an unsupported format"),
        Sentence("hidden-file-that-cannot-be-read", "a file that cannot be read"),
        Sentence("hidden-file-that-the-gateway-cannot-read", "a file that the gateway cannot read"),
        Sentence("hidden-form", "a form"),
        Sentence("hidden-form-field", "a form field"),
        Sentence("hidden-formula", "a formula"),
        Sentence("hidden-help-text", "a help text"),
        Sentence("hidden-hidden-column", "a hidden column"),
        Sentence("hidden-hidden-row", "a hidden row"),
        Sentence("hidden-hidden-shape", "a hidden shape"),
        Sentence("hidden-hidden-sheet", "a hidden sheet"),
        Sentence("hidden-hidden-slide", "a hidden slide"),
        Sentence("hidden-page-of-handouts", "a page of handouts"),
        Sentence("hidden-slide-that-is-not-in-the-presentation", "a slide that is not in the presentation"),
        Sentence("hidden-text-of-a-chart", "text of a chart"),
        Sentence("hidden-text-of-a-diagram", "text of a diagram"),
        Sentence("hidden-text-outside-of-the-paragraphs", "text outside of the paragraphs"),
        Sentence("hidden-text-outside-of-the-slides", "text outside of the slides"),
        Sentence("hidden-label", "a label"),
        Sentence("hidden-label-of-a-total", "a label of a total"),
        Sentence("hidden-layer-name", "a layer's name"),
        Sentence("hidden-link", "a link"),
        Sentence("hidden-link-anchor", "a link anchor"),
        Sentence("hidden-link-target", "a link target"),
        Sentence("hidden-link-text", "a link text"),
        Sentence("hidden-link-address", "a link's address"),
        Sentence("hidden-macro", "a macro"),
        Sentence("hidden-message", "a message"),
        Sentence("hidden-name-for-programs", "a name for programs"),
        Sentence("hidden-name-of-a-sheet", "a name of a sheet"),
        Sentence("hidden-name-of-a-style", "a name of a style"),
        Sentence("hidden-name-of-a-style-or-form-field", "a name of a style or form field"),
        Sentence("hidden-name-of-an-author", "a name of an author"),
        Sentence("hidden-name-of-an-object", "a name of an object"),
        Sentence("hidden-name-that-is-shown", "a name that is shown"),
        Sentence("hidden-named-destination", "a named destination"),
        Sentence("hidden-number-format", "a number format"),
        Sentence("hidden-page-header", "a page header"),
        Sentence("hidden-path-in-bound-xml", "a path in bound XML"),
        Sentence("hidden-pronunciation", "a pronunciation"),
        Sentence("hidden-property", "a property"),
        Sentence("hidden-query", "a query"),
        Sentence("hidden-remark", "a remark"),
        Sentence("hidden-script", "a script"),
        Sentence("hidden-smart-tag", "a smart tag"),
        Sentence("hidden-style-sheet", "a style sheet"),
        Sentence("hidden-subject-of-a-mail-merge", "a subject of a mail merge"),
        Sentence("hidden-tag-of-a-content-control", "a tag of a content control"),
        Sentence("hidden-text-of-a-numbering", "a text of a numbering"),
        Sentence("hidden-text-of-a-rule", "a text of a rule"),
        Sentence("hidden-text-of-a-style", "a text of a style"),
        Sentence("hidden-text-of-no-cell", "a text of no cell"),
        Sentence("hidden-title-of-a-content-control", "a title of a content control"),
        Sentence("hidden-title-of-an-object", "a title of an object"),
        Sentence("hidden-tooltip", "a tooltip"),
        Sentence("hidden-value", "a value"),
        Sentence("hidden-value-of-a-filter", "a value of a filter"),
        Sentence("hidden-value-of-a-form-field", "a value of a form field"),
        Sentence("hidden-value-of-a-pivot-table", "a value of a pivot table"),
        Sentence("hidden-value-of-a-rule", "a value of a rule"),
        Sentence("hidden-value-of-a-scenario", "a value of a scenario"),
        Sentence("hidden-watermark", "a watermark"),
        Sentence("hidden-alternative-text", "an alternative text"),
        Sentence("hidden-annotation", "an annotation"),
        Sentence("hidden-attachment", "an attachment"),
        Sentence("hidden-attachment-name", "an attachment's name"),
        Sentence("hidden-attribute", "an attribute"),
        Sentence("hidden-earlier-revision", "an earlier revision"),
        Sentence("hidden-embedded-part", "an embedded part"),
        Sentence("hidden-index-entry", "an index entry"),
        Sentence("hidden-deleted-text", "deleted text"),
        Sentence(
            "hidden-earlier-revisions-beyond-the-limit-which-were-not-read",
            "earlier revisions beyond the limit, which were not read",
        ),
        Sentence("hidden-hidden-text", "hidden text"),
        Sentence("hidden-markup-that-few-browsers-show", "markup that few browsers show"),
        Sentence("hidden-markup-that-no-browser-shows", "markup that no browser shows"),
        Sentence("hidden-metadata", "metadata"),
        Sentence("hidden-of-an-unsupported-format", "of an unsupported format"),
        Sentence("hidden-remarks-in-the-archive", "remarks in the archive"),
        Sentence("hidden-text-on-a-layer-that-is-off", "text on a layer that is off"),
        Sentence("hidden-text-outside-of-the-cells", "text outside of the cells"),
        Sentence("hidden-text-outside-of-the-pages", "text outside of the pages"),
        Sentence("hidden-text-outside-of-the-parts", "text outside of the parts"),
        Sentence("hidden-text-outside-the-pages", "text outside the pages"),
        Sentence("hidden-text-that-not-every-reader-shows", "text that not every reader shows"),
        Sentence("hidden-header-of-a-part", "the header of a part"),
        Sentence("hidden-pronunciation-of-a-text", "the pronunciation of a text"),
        Sentence(
            "hidden-unknown-data-between-its-files-or-next-to-their-names",
            "unknown data between its files or next to their names",
        ),
        Sentence("hidden-what-annotations-look-like", "what annotations look like"),
    )
}
_HEADER_FIELD: Final = re.compile("the header field (.+)", re.DOTALL)
_ATTRIBUTE: Final = re.compile("the attribute “(.+)”", re.DOTALL)
_LIST: Final = re.compile("a list of ([0-9,]+), each of them (.+)")
_PICTURE: Final = re.compile(r"a picture with data about it \((.+)\)")


def hidden_phrase(hidden: str) -> str:
    """The phrase of a unit's `hidden`, as a `Sentence` if it is known."""
    if known := _KNOWN.get(hidden):
        return known
    if found := _HEADER_FIELD.fullmatch(hidden):
        return Sentence("hidden-header-field", "the header field {name}", name=found[1])
    if found := _ATTRIBUTE.fullmatch(hidden):
        return Sentence("hidden-named-attribute", "the attribute “{name}”", name=found[1])
    if found := _LIST.fullmatch(hidden):
        number = int(found[1].replace(",", ""))
        what = hidden_phrase(found[2])
        return Sentence("hidden-list", "a list of {number}, each of them {what}", number=number, what=what)
    if found := _PICTURE.fullmatch(hidden):
        return Sentence("hidden-picture-data", "a picture with data about it ({kinds})", kinds=found[1])
    return hidden
