"""The kinds of content of an office document that travel classified, as their author reads them."""

from typing import Final

from sieve.core.sentence import Sentence

MARKED: Final = Sentence("why-marked-parts", "Parts with a mark")
SHOWN: Final = Sentence("why-shown", "Pictures and objects that marked places show")
COUNTING: Final = Sentence("why-counting", "Slides whose shapes are numbered on from those of a marked slide")
SHARED_TEXTS: Final = Sentence("why-shared-texts", "Texts that all sheets share")
SHEETS: Final = Sentence("why-sheets", "Sheets that use the shared texts, formulas or other sheets")
COMPUTED: Final = Sentence("why-computed", "Text with fields or page ends, which programs compute from other parts")
REPEATS: Final = Sentence("why-repeats", "Parts that repeat a marked text")
PICTURES: Final = Sentence("why-pictures", "Pictures that the gateway does not know to the last byte")
OTHER: Final = Sentence("why-other-parts", "Properties, settings and other parts that are never plain beside a mark")
AROUND: Final = Sentence("why-around-parts", "Names, sizes and places of the parts")
