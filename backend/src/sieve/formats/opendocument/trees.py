"""Changes trees in which text and elements alternate: what is around a removed element stays."""

from lxml import etree


def drop(element: etree._Element) -> None:
    """Removes the element and its contents, but not the text after it."""
    _replace(element, [], element.tail or "")


def dissolve(element: etree._Element) -> None:
    """Replaces the element by its text and its children."""
    children = list(element)
    if children:
        children[-1].tail = (children[-1].tail or "") + (element.tail or "")
        _replace(element, children, element.text or "")
    else:
        _replace(element, [], (element.text or "") + (element.tail or ""))


def _replace(element: etree._Element, children: list[etree._Element], text: str) -> None:
    """Puts `text` and then `children` in place of the element and the text after it."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + text
    else:
        parent.text = (parent.text or "") + text
    element.tail = None
    # Takes the same time wherever it is among a million others, unlike its index.
    for child in children:
        element.addprevious(child)
    parent.remove(element)
