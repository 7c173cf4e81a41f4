"""Changes trees in which text and elements alternate: what is around a removed element stays."""

from lxml import etree


def drop(element: etree._Element) -> None:
    """Removes the element and its contents, but not the text after it."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + (element.tail or "")
    else:
        parent.text = (parent.text or "") + (element.tail or "")
    element.tail = None
    # Takes the same time wherever it is among a million others.
    parent.remove(element)
