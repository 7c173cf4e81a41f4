"""Forms within forms are counted before pdfium draws them."""

import pikepdf
import pytest
from pikepdf import Dictionary, Name

from sieve.formats.errors import TooLarge
from sieve.formats.pdf import nested_forms
from sieve.formats.pdf.nested_forms import check_nested_forms


def nested(depth: int, times: int) -> pikepdf.Pdf:
    """A page with a form; each of `depth` forms draws the next `times` times."""
    pdf = pikepdf.new()
    pdf.add_blank_page()
    resources = Dictionary()
    for level in range(depth):
        form = pdf.make_stream(b"/X Do " * times if level else b"")
        form.Type, form.Subtype, form.BBox, form.Resources = Name.XObject, Name.Form, [0, 0, 9, 9], resources
        resources = Dictionary(XObject=Dictionary(X=form))
    page = pdf.pages[0].obj
    page.Resources, page.Contents = resources, pdf.make_stream(b"/X Do")
    return pdf


def test_a_page_whose_forms_draw_too_many_forms_is_refused() -> None:
    with (
        nested(14, 3) as pdf,
        pytest.raises(TooLarge, match=r"^page/1 draws forms within forms more than 5,000 times; "),
    ):
        check_nested_forms(pdf)


def test_all_pages_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested_forms, "MAX_IN_ALL", 27)
    with nested(4, 3) as pdf, pytest.raises(TooLarge, match=r"^this PDF draws forms within forms more than 27 times; "):
        check_nested_forms(pdf)


def test_as_many_as_are_drawn_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested_forms, "MAX_ON_A_PAGE", 3 + 9 + 27)
    with nested(4, 3) as pdf:
        check_nested_forms(pdf)
    monkeypatch.setattr(nested_forms, "MAX_ON_A_PAGE", 3 + 9 + 27 - 1)
    with nested(4, 3) as pdf, pytest.raises(TooLarge):
        check_nested_forms(pdf)


def test_a_form_is_drawn_by_the_last_operand() -> None:
    with nested(14, 3) as pdf:
        pdf.pages[0].obj.Contents = pdf.make_stream(b"/Other /X Do")
        with pytest.raises(TooLarge):
            check_nested_forms(pdf)


def test_forms_that_draw_each_other_come_to_an_end() -> None:
    with nested(3, 2) as pdf:
        outer = pdf.pages[0].obj.Resources.XObject.X
        outer.Resources.XObject.X.Resources.XObject.X = outer
        check_nested_forms(pdf)
