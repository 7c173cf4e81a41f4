"""Encodings that are the same in every document: TeX's, and the part that all Latin encodings share."""

from typing import Final

_ASCII: Final = """
32: space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus
comma hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater
question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum
underscore quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde
"""
_TEXBASE1: Final = """
1: dotaccent fi fl fraction hungarumlaut Lslash lslash ogonek ring 11: breve minus 14: Zcaron zcaron caron
dotlessi dotlessj ff ffi ffl notequal infinity lessequal greaterequal partialdiff summation product pi grave
quotesingle 128: Euro integral quotesinglbase florin quotedblbase ellipsis dagger daggerdbl circumflex
perthousand Scaron guilsinglleft OE Omega radical approxequal 147: quotedblleft quotedblright bullet endash
emdash tilde trademark scaron guilsinglright oe Delta lozenge Ydieresis 161: exclamdown cent sterling currency
yen brokenbar section dieresis copyright ordfeminine guillemotleft logicalnot hyphen registered macron degree
plusminus twosuperior threesuperior acute mu paragraph periodcentered cedilla onesuperior ordmasculine
guillemotright onequarter onehalf threequarters questiondown Agrave Aacute Acircumflex Atilde Adieresis Aring AE
Ccedilla Egrave Eacute Ecircumflex Edieresis Igrave Iacute Icircumflex Idieresis Eth Ntilde Ograve Oacute
Ocircumflex Otilde Odieresis multiply Oslash Ugrave Uacute Ucircumflex Udieresis Yacute Thorn germandbls agrave
aacute acircumflex atilde adieresis aring ae ccedilla egrave eacute ecircumflex edieresis igrave iacute
icircumflex idieresis eth ntilde ograve oacute ocircumflex otilde odieresis divide oslash ugrave uacute
ucircumflex udieresis yacute thorn ydieresis
"""
_CORK: Final = """
0: grave acute circumflex tilde dieresis hungarumlaut ring caron breve macron dotaccent cedilla ogonek
quotesinglbase guilsinglleft guilsinglright quotedblleft quotedblright quotedblbase guillemotleft guillemotright
endash emdash cwm perthousandzero dotlessi dotlessj ff fi fl ffi ffl visiblespace 127: hyphen Abreve Aogonek
Cacute Ccaron Dcaron Ecaron Eogonek Gbreve Lacute Lcaron Lslash Nacute Ncaron Eng Ohungarumlaut Racute Rcaron
Sacute Scaron Scedilla Tcaron Tcedilla Uhungarumlaut Uring Ydieresis Zacute Zcaron Zdotaccent IJ Idotaccent
dcroat section abreve aogonek cacute ccaron dcaron ecaron eogonek gbreve lacute lcaron lslash nacute ncaron eng
ohungarumlaut racute rcaron sacute scaron scedilla tcaron tcedilla uhungarumlaut uring ydieresis zacute zcaron
zdotaccent ij exclamdown questiondown sterling Agrave Aacute Acircumflex Atilde Adieresis Aring AE Ccedilla
Egrave Eacute Ecircumflex Edieresis Igrave Iacute Icircumflex Idieresis Eth Ntilde Ograve Oacute Ocircumflex
Otilde Odieresis OE Oslash Ugrave Uacute Ucircumflex Udieresis Yacute Thorn SS agrave aacute acircumflex atilde
adieresis aring ae ccedilla egrave eacute ecircumflex edieresis igrave iacute icircumflex idieresis eth ntilde
ograve oacute ocircumflex otilde odieresis oe oslash ugrave uacute ucircumflex udieresis yacute thorn germandbls
"""
_OT1: Final = """
0: Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ff fi fl ffi ffl dotlessi dotlessj grave acute
caron breve macron ring cedilla germandbls ae oe oslash AE OE Oslash suppress 34: quotedblright 60: exclamdown
62: questiondown 92: quotedblleft 94: circumflex dotaccent 123: endash emdash hungarumlaut tilde dieresis
"""
_TYPEWRITER: Final = """
0: Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega arrowup arrowdown quotesingle exclamdown
questiondown dotlessi dotlessj grave acute caron breve macron ring cedilla germandbls ae oe oslash AE OE Oslash
visiblespace 127: dieresis
"""
_OML: Final = """
0: Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega alpha beta gamma delta epsilon1 zeta eta theta
iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega epsilon theta1 pi1 rho1 sigma1 phi1
arrowlefttophalf arrowleftbothalf arrowrighttophalf arrowrightbothalf arrowhookleft arrowhookright triangleright
triangleleft zerooldstyle oneoldstyle twooldstyle threeoldstyle fouroldstyle fiveoldstyle sixoldstyle
sevenoldstyle eightoldstyle nineoldstyle period comma 61: slash 63: star partialdiff 91: flat natural sharp
slurbelow slurabove lscript 123: dotlessi dotlessj weierstrass vector tie
"""
_OMS: Final = """
0: minus periodcentered multiply asteriskmath divide diamondmath plusminus minusplus circleplus circleminus
circlemultiply circledivide circledot circlecopyrt openbullet bullet equivasymptotic equivalence reflexsubset
reflexsuperset lessequal greaterequal precedesequal followsequal similar approxequal propersubset propersuperset
lessmuch greatermuch precedes follows arrowleft arrowright arrowup arrowdown arrowboth arrownortheast
arrowsoutheast similarequal arrowdblleft arrowdblright arrowdblup arrowdbldown arrowdblboth arrownorthwest
arrowsouthwest proportional prime infinity element owner triangle triangleinv negationslash mapsto universal
existential logicalnot emptyset Rfractur Ifractur latticetop perpendicular aleph 91: union intersection
unionmulti logicaland logicalor turnstileleft turnstileright floorleft floorright ceilingleft ceilingright
braceleft braceright angbracketleft angbracketright bar bardbl arrowbothv arrowdblbothv backslash wreathproduct
radical coproduct nabla integral unionsq intersectionsq subsetsqequal supersetsqequal section dagger daggerdbl
paragraph club diamond heart spade
"""
_OMX: Final = """
0: parenleftbig parenrightbig bracketleftbig bracketrightbig floorleftbig floorrightbig ceilingleftbig
ceilingrightbig braceleftbig bracerightbig angbracketleftbig angbracketrightbig vextendsingle vextenddouble
slashbig backslashbig parenleftBig parenrightBig parenleftbigg parenrightbigg bracketleftbigg bracketrightbigg
floorleftbigg floorrightbigg ceilingleftbigg ceilingrightbigg braceleftbigg bracerightbigg angbracketleftbigg
angbracketrightbigg slashbigg backslashbigg parenleftBigg parenrightBigg bracketleftBigg bracketrightBigg
floorleftBigg floorrightBigg ceilingleftBigg ceilingrightBigg braceleftBigg bracerightBigg angbracketleftBigg
angbracketrightBigg slashBigg backslashBigg slashBig backslashBig parenlefttp parenrighttp bracketlefttp
bracketrighttp bracketleftbt bracketrightbt bracketleftex bracketrightex bracelefttp bracerighttp braceleftbt
bracerightbt braceleftmid bracerightmid braceex arrowvertex parenleftbt parenrightbt parenleftex parenrightex
angbracketleftBig angbracketrightBig unionsqtext unionsqdisplay contintegraltext contintegraldisplay
circledottext circledotdisplay circleplustext circleplusdisplay circlemultiplytext circlemultiplydisplay
summationtext producttext integraltext uniontext intersectiontext unionmultitext logicalandtext logicalortext
summationdisplay productdisplay integraldisplay uniondisplay intersectiondisplay unionmultidisplay
logicalanddisplay logicalordisplay coproducttext coproductdisplay hatwide hatwider hatwidest tildewide
tildewider tildewidest bracketleftBig bracketrightBig floorleftBig floorrightBig ceilingleftBig ceilingrightBig
braceleftBig bracerightBig radicalbig radicalBig radicalbigg radicalBigg radicalbt radicalvertex radicaltp
arrowvertexdbl arrowtp arrowbt bracehtipdownleft bracehtipdownright bracehtipupleft bracehtipupright arrowdbltp
arrowdblbt
"""
_ALIASES: Final = {
    "quotesingle": "quoteright",
    "grave": "quoteleft",
    "nbspace": "space",
    "sfthyphen": "hyphen",
    "cwm": "compwordmark",
    "visiblespace": "space",
    "slashslash": "suppress",
    "Tcommaaccent": "Tcedilla",
    "tcommaaccent": "tcedilla",
    "hyphenchar": "hyphen",
}
"""Other names of the same glyph."""


def _read(table: str, over: dict[int, str]) -> dict[int, str]:
    """The table over the codes `over`: each number is the code of the name after it."""
    names = dict(over)
    code = 0
    for word in table.split():
        if word.endswith(":"):
            code = int(word[:-1])
        else:
            names[code] = canonical(word)
            code += 1
    return names


def canonical(name: str) -> str:
    """One name for each glyph."""
    return _ALIASES.get(name, name)


LATIN: Final = _read(_ASCII, {})
"""The part that all of them share but for some signs."""
ENCODINGS: Final = tuple(_read(table, LATIN) for table in (_TEXBASE1, _CORK, _OT1, _TYPEWRITER, _OML, _OMS, _OMX))
"""The canonical name of the glyph of each code."""
