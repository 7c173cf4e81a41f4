"""English words that reveal little by themselves. Each list serves one rule and is short on purpose: words that are not
in it are searched for.
"""

from typing import Final

from sieve.marking.leaks.other_forms import ARTICLES

_FUNCTION: Final = """
a an and are as at be been but by can do for from had has have he her him his i if in is it its me my no not of on or
our she so than that the their them then there these they this those to us was we were what when where which who why
will with would yes you your
"""
_LINKS: Final = """
of the and for in on de del della di du des da dos la le les el van von den der zu zur zum und et e y af av og i al
"""
_MONTHS: Final = "january february march april may june july august september october november december"
_IN_NAMES: Final = """
mr mrs ms miss dr prof sir dame lord lady jr sr phd
monday tuesday wednesday thursday friday saturday sunday
operation project programme program mission phase plan task team unit group division department office bureau agency
committee commission council board ministry minister president director manager chief general captain colonel major
officer agent inspector judge court company corporation corp inc ltd llc plc gmbh bank trust fund university college
school institute hospital clinic laboratory lab centre center church museum hotel airport station port street road
avenue lane drive square bridge park house building tower floor room city town county state republic kingdom union
nation nations international national federal royal united new old great north south east west northern southern
eastern western central upper lower first second third report section article chapter annex appendix table figure page
document file version draft summary contract agreement meeting dear subject account number date name address phone
email total amount case patient client
"""

_ELSEWHERE: Final = """
januar februar märz april mai juni juli august september oktober november dezember
jänner februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar mars april mai juni juli august september oktober november desember
januar februar marts april maj juni juli august september oktober november december
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ledna února března dubna května června července srpna září října listopadu prosince
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta \
joulukuuta
január február március április május június július augusztus szeptember október november december
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
"""

FUNCTION_WORDS: Final = frozenset(_FUNCTION.split())
"""Not searched for when marked alone."""

LINKS: Final = frozenset(_LINKS.split())
"""May be in lower case inside a name: "Bank of England", "Ursula von der Leyen"."""

MONTHS: Final = _MONTHS.split()

MONTHS_GERMAN, _, MONTHS_FRENCH = (line.split() for line in _ELSEWHERE.strip().splitlines()[:3])
MONTHS_ELSEWHERE: Final = [
    sorted(set(names) - {name})
    for name, names in zip(MONTHS, zip(*map(str.split, _ELSEWHERE.strip().splitlines()), strict=True), strict=True)
]
"""Names of each month in other languages, where they differ from English."""

COMMON_IN_NAMES: Final = FUNCTION_WORDS | frozenset([*_IN_NAMES.split(), *MONTHS, *ARTICLES])
"""Parts of names that also have many other meanings."""
