"""Names of places: countries and large cities by a list, addresses, waters and mountains by their shape; and plates of
vehicles."""

import re
from collections.abc import Iterator
from typing import Final

from sieve.marking.detectors.form import WORD_START, Form, alone, is_between
from sieve.marking.ranges import Range

# Names that are common words or names of persons, too (Jordan, Georgia, Reading, Nice), are left out.
_COUNTRIES: Final = """
Afghanistan|Albania|Algeria|Angola|Argentina|Armenia|Australia|Austria|Azerbaijan|Bahrain|Bangladesh|Belarus|Belgium|
Bolivia|Bosnia|Botswana|Brazil|Bulgaria|Cambodia|Cameroon|Canada|Chile|China|Colombia|Congo|Costa Rica|Croatia|Cuba|
Cyprus|Czechia|Denmark|Ecuador|Egypt|El Salvador|England|Eritrea|Estonia|Ethiopia|Finland|France|Germany|Ghana|Greece|
Guatemala|Haiti|Honduras|Hungary|Iceland|India|Indonesia|Iran|Iraq|Ireland|Israel|Italy|Jamaica|Japan|Kazakhstan|
Kenya|Kosovo|Kuwait|Latvia|Lebanon|Liberia|Libya|Lithuania|Luxembourg|Madagascar|Malaysia|Malta|Mauritius|Mexico|
Moldova|Mongolia|Montenegro|Morocco|Mozambique|Myanmar|Namibia|Nepal|Netherlands|New Zealand|Nicaragua|Nigeria|
North Korea|North Macedonia|Northern Ireland|Norway|Pakistan|Palestine|Panama|Paraguay|Peru|Philippines|Poland|
Portugal|Qatar|Romania|Russia|Rwanda|Saudi Arabia|Scotland|Senegal|Serbia|Sierra Leone|Singapore|Slovakia|Slovenia|
Somalia|South Africa|South Korea|South Sudan|Spain|Sri Lanka|Sudan|Sweden|Switzerland|Syria|Taiwan|Tanzania|Thailand|
Tunisia|Turkey|Türkiye|Uganda|Ukraine|United Arab Emirates|United Kingdom|United States|Uruguay|Uzbekistan|Venezuela|
Vietnam|Wales|Yemen|Zambia|Zimbabwe|Deutschland|Österreich|Schweiz|Frankreich|Italien|Spanien|Belgien|Niederlande|
Dänemark|Schweden|Norwegen|Finnland|Polen|Tschechien|Ungarn|Rumänien|Griechenland|Türkei|Russland|Vereinigte Staaten|
Allemagne|Autriche|Suisse|Belgique|Pays-Bas|Espagne|Italie|Royaume-Uni|États-Unis|Irlande|Pologne|Russie|Grèce|
Turquie|Maroc|Algérie|Tunisie|Chine|Japon|Alemania|Francia|España|Inglaterra|Estados Unidos|México|Perú|Brasil|Italia|
Germania|Spagna|Polska|Niemcy|Россия|Украина|Беларусь|Германия|Франция|Казахстан
"""
_CITIES: Final = """
Abu Dhabi|Accra|Addis Ababa|Amsterdam|Ankara|Antwerp|Athens|Auckland|Baghdad|Baku|Bangkok|Barcelona|Basel|Beijing|
Beirut|Belfast|Belgrade|Berlin|Bern|Birmingham|Bogotá|Bologna|Bordeaux|Boston|Bratislava|Bremen|Brisbane|Bristol|
Brussels|Bruxelles|Bucharest|Budapest|Buenos Aires|Cairo|Calgary|Cape Town|Caracas|Cardiff|Casablanca|Chicago|
Chișinău|Cologne|Copenhagen|Dallas|Damascus|Delhi|Denver|Detroit|Dhaka|Doha|Dortmund|Dresden|Dubai|Dublin|Düsseldorf|
Edinburgh|Edmonton|Frankfurt|Gdańsk|Geneva|Genève|Genf|Genoa|Glasgow|Göteborg|Graz|Guangzhou|Halifax|Hamburg|Hannover|
Hanoi|Harare|Havana|Helsinki|Hong Kong|Houston|Istanbul|Jakarta|Jerusalem|Johannesburg|Kabul|Karachi|Kathmandu|
Khartoum|Kinshasa|Köln|Kraków|Kuala Lumpur|Kyiv|Kyoto|Lagos|Lausanne|Leeds|Leipzig|Lille|Lima|Lisbon|Liverpool|
Ljubljana|London|Londres|Los Angeles|Luanda|Lyon|Madrid|Manchester|Manila|Marrakesh|Marseille|Melbourne|Miami|Milan|
Milano|Minsk|Mogadishu|Montevideo|Montreal|Montréal|Moscow|Moskau|Mumbai|München|Munich|Nairobi|Naples|Napoli|
New Delhi|New Orleans|New York|Nicosia|Nuremberg|Nürnberg|Odesa|Osaka|Oslo|Ottawa|Palermo|Paris|Philadelphia|Prague|
Prag|Praha|Pretoria|Pyongyang|Quito|Rabat|Reykjavik|Riga|Rio de Janeiro|Riyadh|Roma|Rome|Rotterdam|Saint Petersburg|
Salzburg|San Diego|San Francisco|San José|Santiago|São Paulo|Sarajevo|Seattle|Seoul|Sevilla|Shanghai|Shenzhen|Skopje|
Sofia|Stockholm|Strasbourg|Stuttgart|Sydney|Taipei|Tallinn|Tashkent|Tbilisi|Tehran|Tel Aviv|The Hague|Den Haag|Tirana|
Tokyo|Toronto|Torino|Toulouse|Tripoli|Tunis|Turin|Valencia|Vancouver|Venice|Venezia|Vienna|Wien|Vilnius|Warsaw|
Warszawa|Washington|Wellington|Winnipeg|Wrocław|Yangon|Yerevan|Zagreb|Zürich|Zurich|Москва|Санкт-Петербург|Киев|Минск|
Казань|北京|上海|广州|深圳|东京|香港|台北
"""
_AFTER_TITLE: Final = re.compile(
    r"(?:Dr|Mr|Mrs|Ms|Miss|Prof|Sir|Dame|Lady|Lord|Herr|Frau|Mme|Monsieur|Señor|Señora)\.?\s$"
)
_LONGEST_TITLE: Final = 12
_NO_PLACE_IN_TIME: Final = re.compile(
    r"(?i:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|jahre?n?|januar|februar|märz|april|mai|juni|juli|"
    r"august|september|oktober|november|dezember|morgen|abend|mittag|vormittag|nachmittag|anfang|ende)"
)


def _alternatives(names: str) -> str:
    found = (name.strip() for name in names.replace("\n", "").split("|"))
    # A longer name first: "New York", not "York".
    return "|".join(sorted(filter(None, found), key=len, reverse=True))


def _named(text: str, start: int, end: int) -> Iterator[Range]:
    if is_between(text, start, end) and not _AFTER_TITLE.search(text[max(0, start - _LONGEST_TITLE) : start]):
        yield start, end


def _german(text: str, start: int, end: int) -> Iterator[Range]:
    """`Am Markt 5`, and not `Am Montag 5`."""
    if is_between(text, start, end) and not _NO_PLACE_IN_TIME.search(text[start:end]):
        yield start, end


_CAPITAL: Final = r"\p{Lu}[\p{L}.'’-]*"
_NUMBER: Final = r"\d{1,4}[a-z]?"
PLACE_NAME: Final = [
    Form(_alternatives(_COUNTRIES + "|" + _CITIES), _named, case=True),
    Form(rf"(?:Lake|Mount|River|Cape|Gulf of|Bay of|Isle of) {_CAPITAL}", alone, case=True),
    Form(
        rf"\d{{1,5}}[A-Za-z]? (?:{_CAPITAL} ){{1,4}}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Square|Boulevard|Blvd|"
        r"Way|Court|Place|Terrace|Crescent)",
        alone,
        case=True,
    ),
    Form(
        r"\p{Lu}[\p{L}-]{1,40}(?:straße|strasse|str\.|gasse|weg|platz|allee|ufer|damm|straat|gracht|laan|plein|kade|dijk)"
        rf" {_NUMBER}",
        alone,
        case=True,
    ),
    Form(rf"(?:Am|An der|Im|In der|Unter den|Zum|Zur|Auf der|Auf dem) {_CAPITAL} {_NUMBER}", _german, case=True),
    Form(
        r"\d{1,4}(?: ?(?:bis|ter))?,? (?:rue|avenue|boulevard|place|chemin|allée|quai|impasse|route)"
        rf"(?: (?:de|du|des|la|le|les))*(?: [dl]['’]| ){_CAPITAL}(?: {_CAPITAL}){{0,3}}",
        alone,
        case=True,
    ),
    Form(
        r"(?:Calle|Avenida|Plaza|Paseo|Via|Viale|Piazza|Corso|Rua|ul\.|ул\.)(?: (?:de|del|la|di|dei|da))*"
        rf"(?: {_CAPITAL}){{1,4}} {_NUMBER}",
        alone,
        case=True,
    ),
]

_PLATE: Final = re.compile(
    r"(?:\s?(?i:number|nummer|no|nr|lautet|ist|is|est|es)(?![^\W\d_]))?[\s.:#№°º]{0,3}"
    r"([A-ZÄÖÜА-Я0-9]{1,9}(?:[ ·-][A-ZÄÖÜА-Я0-9]{1,7}){0,3})"
)


def _plate(text: str, start: int, end: int) -> Iterator[Range]:
    """The longest groups of capitals and digits after a label that have 5 to 9 of them, and some of each."""
    found = _PLATE.match(text, end)
    if not found:
        return
    first = found.start(1)
    for last in [found.end(1), *(first + gap.start() for gap in reversed([*re.finditer(r"[ ·-]", found[1])]))]:
        written = "".join(filter(str.isalnum, text[first:last]))
        is_mixed = any(map(str.isdigit, written)) and any(map(str.isalpha, written))
        if 5 <= len(written) <= 9 and is_mixed and is_between(text, first, last):
            yield first, last
            return


VEHICLE_PLATE: Final = [
    Form(
        rf"{WORD_START}(?:plates?|tag|(?:vehicle )?registration(?: (?:number|mark|no\.?))?|vehicle reg|"
        r"reg\. ?(?:no|nr)\.?|(?:auto|kfz)?-?kennzeichen|nummernschild|plaque|immatriculation|immatriculée?s?|"
        r"matrícula|targ(?:at[ao]|a)|kenteken|(?:numer|nr) rejestracyjny|nr rej\.|registreringsnummer|regnr|"
        r"номер машины|госномер)",
        _plate,
    ),
    Form(r"(?:车牌号?码?|车牌)[\s:：是为]{0,3}(\p{Han}[A-Z][·•\s]?[A-Z0-9]{5,6})", alone, group=1),
]
