"""Another text on the marked page of a PDF by matplotlib, in any letters and features of fonts: the same plain stream.

matplotlib puts characters below 256 into part 0 of a font, under their own codes. Ligatures, other characters and
further glyphs of the same character go into parts that are numbered by use. So a letter that a marked page shows first
in another form takes the code, and the plain letter on a later page gets one of another part.
"""

from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from typing import NamedTuple

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.pdf import PdfReading

FONTS = ("DejaVu Sans", "DejaVu Serif")


class Line(NamedTuple):
    """A text, and how matplotlib writes it."""

    text: str
    features: tuple[str, ...] = ()
    is_math: bool = False
    font: str = FONTS[0]
    marker: str = ""
    """Of a plot beside it, if there is one."""
    size: float = 10
    """In points. Large letters are where their widths say, so that a text is one string."""


Page = tuple[Line, ...]


def page(*texts: str) -> Page:
    """Plain texts."""
    return tuple(map(Line, texts))


@lru_cache(maxsize=64)
def made(pages: tuple[Page, ...], kind: int = 3) -> bytes:
    """`kind`: 3, or 42 for TrueType fonts."""
    import matplotlib as mpl
    from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
    from matplotlib.figure import Figure

    written = BytesIO()
    with mpl.rc_context({"pdf.fonttype": kind}), PdfPages(written, metadata={"CreationDate": None}) as book:
        for lines in pages:
            figure = Figure(figsize=(8, 3))
            FigureCanvasPdf(figure)
            for at, line in enumerate(lines):
                said = figure.text(
                    0.05, 0.9 - 0.1 * at, line.text, parse_math=line.is_math, fontfamily=line.font, fontsize=line.size
                )
                said.set_fontfeatures([*line.features] or None)
                if line.marker:
                    axes = figure.add_axes((0.6, 0.1, 0.3, 0.8))
                    axes.plot([3, 1, 2] * 9, marker=line.marker, alpha=0.5)
            book.savefig(figure)
    return written.getvalue()


def plain_of(public: Sequence[Page], at: int, secret: Page, kind: int = 3) -> bytes:
    """The plain stream, if `secret` is the page at this index among `public` ones, and marked."""
    data = made((*public[:at], secret, *public[at:]), kind)
    return separate(Document(data, PdfReading(data).spans([Mark(f"page/{at + 1}")]))).plain


def contents(data: bytes) -> list[bytes]:
    """The packed drawing instructions of each page."""
    with pikepdf.open(BytesIO(data)) as pdf:
        return [page.obj.Contents.read_raw_bytes() for page in pdf.pages]


PROSE = (
    page("The quick brown fox jumps over the lazy dog, then rests.", "Pack my box with five dozen liquor jugs: 1-2-3."),
    page("Sphinx of black quartz, judge my vow."),
    page("the fox rests over a dog, 45%"),
    page("Jill and Iris: all of it"),
    (Line("/M0 F1/F2", size=32), Line("/Im5 A1", size=64)),
    (Line("a plot", marker="o"),),
    (Line("the plot", marker="o"),),
)
FEATURES = ((), ("salt",), ("aalt",), ("-liga",), ("dlig",), ("case",), ("smcp",))
words = st.text("the quick foxalIJy fifflffi Ωé€¿10-?!", min_size=1, max_size=12).filter(str.strip)
NAMES = ("F1/F2", "/M0 /Im5", "A1/A2 /A1", "/I1/F3")
"""Texts that contain what may be names of resources, such as those that only a marked page draws with."""
MATH = (r"$\alpha_1 - a^2$", r"$\frac{l}{I} \leq \sqrt{y}$", r"$\mathit{all} + \mathbf{Jay}$", r"$\sum_a \int x\, dx$")
lines = st.one_of(
    st.tuples(words, st.sampled_from(FEATURES), st.just(False), st.sampled_from(FONTS)).map(lambda line: Line(*line)),
    st.sampled_from(MATH).map(lambda text: Line(text, is_math=True)),
    st.tuples(words, st.sampled_from("o^")).map(lambda pair: Line(pair[0], marker=pair[1])),
    st.tuples(st.sampled_from(NAMES), st.sampled_from((10, 32, 64))).map(lambda pair: Line(pair[0], size=pair[1])),
)
pages = st.lists(lines, min_size=1, max_size=3).map(tuple)
public_pages = st.one_of(
    st.just(PROSE),
    st.lists(st.one_of(st.sampled_from(PROSE), pages), min_size=2, max_size=4).map(tuple),
)


@settings(max_examples=examples(8))
@given(public=public_pages, at=st.integers(0, 4), one=pages, other=pages)
def test_another_secret_leaves_the_plain_stream_identical(
    public: tuple[Page, ...], at: int, one: Page, other: Page
) -> None:
    at = min(at, len(public))
    assert plain_of(public, at, one) == plain_of(public, at, other)


LATER = page("all a y I J l")
ALTERNATES = ((Line("a l I J", ("salt",)),), (Line("y", ("aalt",)),), (Line("fi ffl Ω é"),))
MATHS = ((Line("$a_l$", is_math=True),), (Line("l", marker="^"),))


@pytest.mark.parametrize(
    ("kind", "secrets"),
    [
        (3, (*ALTERNATES, *MATHS)),
        # With TrueType fonts, mathtext draws with another font, which shows.
        (42, ALTERNATES),
    ],
)
@pytest.mark.parametrize("first", [PROSE[0], page("The quick brown fox jmps over the zd, 45%"), page("Then Q5")])
def test_a_letter_that_a_secret_shows_in_another_form_leaves_the_plain_stream_identical(
    first: Page, kind: int, secrets: tuple[Page, ...]
) -> None:
    public = (first, LATER)
    assert len({plain_of(public, 1, secret, kind) for secret in (*secrets, page("x"))}) == 1


@pytest.mark.parametrize("size", [10, 32, 64])
def test_a_text_that_looks_like_a_name_leaves_the_plain_stream_identical(size: int) -> None:
    """Of a font, a marker or a state that there is only for the marked page."""
    first, later = (Line("12 / F M 0 A x", size=size),), (Line("F1/F2 /M0 /A2", size=size),)
    secrets = (page("x"), page("fi \u03a9"), (Line("x", marker="o"),))
    plains = {plain_of((first, later), 1, secret) for secret in secrets}
    assert len(plains) == 1
    assert contents(made((first, secrets[0], later)))[2] in plains.pop()


@pytest.mark.parametrize("kind", [3, 42])
def test_a_page_travels_plain_if_earlier_pages_show_all_that_it_shows(kind: int) -> None:
    """In ligatures and other letters, too, wherever they come from."""
    first = (Line("The first Ω", marker="o"), Line("of all"))
    # The form of a marker has a number of its own on each page, and "K" and other parts are shown for the first time.
    later = (page("first all Ω"), (Line("Ω", marker="o"),), page("of all", "K"), page("all Ω", "é"))
    public = (first, *later)
    sent = plain_of(public, 1, page("secret"), kind)
    plain = [body in sent for body in contents(made((first, page("secret"), *later), kind))]
    assert plain == [True, False, True, False, False, False]


def test_what_another_program_wrote_again_proves_nothing() -> None:
    """It may have moved pages."""
    data = made((*PROSE[:2], page("secret"), PROSE[0]))
    with pikepdf.open(BytesIO(data)) as pdf:
        written = BytesIO()
        pdf.save(written)
    for other in (written.getvalue(), data.replace(b"Matplotlib pdf", b"matplotlib pdf"), data + b"% startxref"):
        plain = separate(Document(other, PdfReading(other).spans([Mark("page/3")]))).plain
        assert contents(data)[3] not in plain
    assert contents(data)[3] in separate(Document(data, PdfReading(data).spans([Mark("page/3")]))).plain
