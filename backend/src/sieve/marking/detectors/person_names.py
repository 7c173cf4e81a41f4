"""Names of persons: capital words after a title, or after a common first name."""

import re
from collections.abc import Iterator
from typing import Final

from sieve.marking.detectors.form import WORD_START, Form
from sieve.marking.ranges import Range


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FIRST_NAMES: Final = _words("""
Aaron Abdul Adam Adrian Agnes Ahmad Ahmed Aisha Alan Albert Alejandro Alessandro Alex Alexander Alexandra Alfred Ali
Alice Alison Amanda Amir Amy Ana Anders Andrea Andreas Andrew Andrzej Angela Anita Anja Ann Anna Anne Annette
Anthony Antoine Antonio Arthur Astrid Barbara Beatrice Benjamin Bernard Bernd Björn Brian Bruno Camille Carl Carla
Carlos Carmen Carol Caroline Catherine Cecilia Charles Charlotte Chiara Christian Christina Christine Christoph
Christopher Claire Claudia Clara Colin Cristina Daniel Daniela David Deborah Denis Diana Diego Dieter Dmitri Dominik
Donald Dorothy Douglas Edward Elena Eleanor Elisabeth Elizabeth Emily Emma Enrico Eric Erik Ernst Esther Eva Fatima
Federico Felix Fernando Florian Frances Francesca Francesco Francisco Frank François Françoise Franz Frederick
Friedrich Gabriel Gary Georg George Gerald Gerhard Giovanni Giulia Giuseppe Gordon Greta Gregory Guillaume Gunnar
Hannah Hans Harold Harry Hassan Heather Heinrich Heinz Helen Helena Helga Henri Henry Hélène Herbert Hugo Ian
Ibrahim Igor Ingrid Irene Isabel Isabelle Ivan Jacob Jacques Jakub James Jan Jane Janet Javier Jean Jeffrey Jennifer
Jens Jessica Joachim Joan Johan Johannes John Jonas Jonathan Jorge Joseph José Juan Julia Julian Julie Julien Jürgen
Karen Karin Karl Katarzyna Katherine Kathleen Keith Kenneth Kevin Klaus Kristina Krzysztof Lars Laura Laurent Leila
Lena Leonard Linda Lisa Louis Louise Luca Lucas Lucia Luigi Luis Luisa Lukas Magdalena Małgorzata Manfred Manuel
Marc Marco Marcel Margaret Maria Marie Mario Marta Martha Martin Martina Mary Mateusz Matthew Matthias Maurice Max
Maximilian Melanie Michael Michel Michelle Miguel Mohamed Mohammad Mohammed Monica Monika Muhammad Nadia Nancy
Natalia Natalie Nathalie Nicholas Nicolas Nicole Nils Nina Nora Olga Oliver Olivia Omar Otto Pablo Pamela Patricia
Patrick Paul Paula Pauline Pedro Peter Petra Philip Philippe Pierre Piotr Rachel Rafael Raymond Rebecca Renate
Richard Robert Roberto Roger Roland Ronald Rosa Ruth Sabine Samuel Sandra Sara Sarah Sebastian Sergei Sharon Simon
Sofia Sophie Stefan Stefano Stephanie Stephen Steven Stéphane Susan Susanne Svetlana Sven Sylvie Teresa Theodor
Theresa Thomas Tomasz Timothy Ulrich Ursula Valentina Vera Veronica Victor Victoria Vincent Vladimir Walter Werner
Wilhelm William Wolfgang Yasmin Youssef Yusuf Yves Zofia
Aarav Aditi Ahmet Akira Ananya Arjun Ayşe Chidi Chiamaka Daan Deepak Dirk Emeka Emre Fatma Haruto Hiroshi Ida Jing
Joost Kenji Kofi Kwame Lakshmi Lieke Mehmet Ming Mustafa Ngozi Nguyễn Nguyen Olumide Pieter Priya Rahul Ravi Sakura
Sanjay Sanne Sunil Takeshi Wei Willem Xiao Yuki Zeynep
Александр Алексей Андрей Анна Борис Владимир Дмитрий Елена
Иван Ирина Мария Михаил Наталья Николай Ольга Павел Пётр Сергей Татьяна Юрий
""")
_TITLES: Final = (
    r"Dr|Mr|MR|Mrs|MRS|Ms|Miss|Prof|Professor|Sir|Dame|Captain|Capt|Colonel|Col|Lt|Sgt|Rev|Judge|Herr|HERR|Frau|FRAU|M\.|Mme|Mlle|Monsieur|"
    r"Madame|Sr|Sra|Señor|Señora|Signor|Signora|"
    r"Dott|[Dd]hr|[Mm]evr|[Mm]evrouw|Pani|Herrn|господин|госпожа"
)
_TITLE_AGAIN: Final = re.compile(r"(?:(?:Dr|Prof|med|jur|phil)\.\s?){1,5}")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_GAP: Final = re.compile(r"\.?[ \u00a0]|\n")
_PARTICLES: Final = frozenset(_words("van von de der den des del di du da dos la le el al af av bin ibn ten ter zu"))
_PARTICLES_AFTER_TITLE: Final = re.compile(
    r"(?:van|von|de|di|du|da|dos|bin|ibn|ten|ter|zu) (?:(?:der|den|la|las|los) )?"
)
"""Without those that are articles: `Herr der Ringe` is no name."""
_NO_SURNAMES: Final = frozenset(
    _words("""
Street St Road Avenue Lane Square Station City Agreement University College School Day Hall Park Bank Inc Ltd GmbH
Island Lake River County Church Cathedral Court Hospital Airport Prize Award Foundation Institute It Is The And
""")
)
_MAX_WORDS: Final = 5
_LONGEST_SURNAME: Final = 48
_BEFORE_COMMA: Final = re.compile(r"(?:^|[\n\t;|\x00])[ \u00a0]?([^\W\d_][\w'’-]+(?: [^\W\d_][\w'’-]+){0,2}), ?\Z")
_TO_END_OF_CELL: Final = re.compile(
    r"([^\W\d_][\w'’-]*(?: [^\W\d_](?:\.|[\w'’-]*)){0,2})[ \u00a0]?(?:[\n\r\t;|\x00]|\Z)"
)


def _titled(text: str, start: int, end: int) -> Iterator[Range]:
    if again := _TITLE_AGAIN.match(text, end):
        end = again.end()
    particles = _PARTICLES_AFTER_TITLE.match(text, end)
    if place := _name(text, particles.end() if particles else end, least=1):
        yield end, place[1]


def _first_named(text: str, start: int, end: int) -> Iterator[Range]:
    if not text[start].isalpha():
        start += 1
    joined = text[end : end + 1]
    if (joined.isalpha() or joined == "'") or text[start - 1 : start] in ("-", "’", "'"):
        return
    if listed := _listed(text, start):
        yield listed
    elif place := _name(text, start, least=2):
        yield place


def _listed(text: str, start: int) -> Range | None:
    """A line or cell that is a name as in registers, `Halvorsen, Ida`, whose first name begins at `start`."""
    surname = _BEFORE_COMMA.search(text, max(0, start - _LONGEST_SURNAME), start)
    given = _TO_END_OF_CELL.match(text, start)
    return (surname.start(1), given.end(1)) if surname and given and surname[1][0].isupper() else None


def _name(text: str, start: int, *, least: int) -> Range | None:
    """The capital words from `start`, with initials and particles between them."""
    words, end, place = 0, start, start
    while words < _MAX_WORDS and (word := _WORD.match(text, place)):
        written = word[0]
        if written[0].isupper() and not (words and written in _NO_SURNAMES):
            words += 1
            end = word.end()
        elif not words or written not in _PARTICLES:
            break
        gap = _GAP.match(text, word.end())
        if not gap or (gap[0][0] == "." and len(written) > 1):
            break
        place = gap.end()
    return (start, end) if words >= least else None


def _spellings() -> list[str]:
    return [spelling for name in _FIRST_NAMES for spelling in (name, name.upper())]


PERSON_NAME: Final = [
    Form(rf"{WORD_START}(?:{_TITLES})\.?[ \x{{a0}}]", _titled, case=True),
    Form(rf"{WORD_START}(?:{'|'.join(sorted(_spellings(), key=len, reverse=True))})", _first_named, case=True),
]
