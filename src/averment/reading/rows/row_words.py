"""Words that steer the reading of a question over rows: which operations a question's words allow to be tried.

They only open the door for candidates; how much a word speaks for an operation is a fitted weight.
"""

from __future__ import annotations

from averment.language.numbers.number_words import ONES, ORDINAL_ONES, TENS, TIMES

STOPS = frozenset(
    """
    a an the of in on at to for from by with and or is are was were be been being do does did has have had this that
    these those it its there their they he she his her him them who whom whose what which when where why how many
    much than then as not no any all each every only also just other more most least less first last next previous
    before after same different following during between over under above below into out up down about list table
    chart name number total times time long take place can could would will if so but we you me my i tell s t give
    listed shown according among both either one
    """.split()
)
"""Words that name no cell by themselves."""

COUNTING = frozenset("many number count often total amount times".split())
FIRSTS = frozenset(
    "first earliest top initial start begin beginning started began oldest starting original soonest opening".split()
)
LASTS = frozenset(
    "last latest final bottom recent end ended newest finally ending recently lastly current currently".split()
)
NEXTS = frozenset(
    "next after following below follow follows followed succeeding subsequent later under beneath succeeded".split()
)
PREVIOUS = frozenset(
    "previous before prior preceding above precede precedes preceded preceeding over earlier former ahead".split()
)
MAXIMA = frozenset(
    """
    most highest largest biggest greatest longest tallest best latest oldest maximum max top higher larger bigger
    greater longer taller better older more heaviest fastest last hottest deepest widest later newest strongest
    heavier wider newer faster richest farthest furthest largest mostly recent warmest max
    """.split()
)
MINIMA = frozenset(
    """
    least lowest smallest fewest shortest worst earliest youngest minimum min lower smaller fewer shorter less worse
    younger earlier first lightest fastest slowest best closest nearest cheapest coldest top quickest oldest narrowest
    poorest coolest lighter cheaper slower
    """.split()
)
SUMS = frozenset("total sum combined altogether overall all together how amount".split())
MEANS = frozenset("average mean avg typical".split())
DIFFERENCES = frozenset(
    """
    difference more less fewer longer between older taller younger gap after before higher lower than later earlier
    long years greater larger passed elapsed
    """.split()
)
OTHERS = frozenset("besides except other also same aside another else apart excluding than not different".split())
AGAIN = frozenset("once twice multiple repeat repeated times same more least each only consecutive".split())
MORE = frozenset("more over above least greater exceed exceeds higher larger longer after since later older up".split())
FEWER = frozenset("less under below fewer most lower smaller before shorter prior earlier until younger up".split())
NOTS = frozenset("not no never without didn't wasn't didnt wasnt isnt doesnt none except excluding neither nor".split())
FREQUENT = frozenset("most least often frequently common times fewest appears appear listed more".split())
NUMBER_WORDS = TIMES | ONES | TENS
ORDINALS = {word: number for word, number in ORDINAL_ONES.items() if 1 <= number <= 12}

OPPOSITES = (
    ("more", "less"), ("more", "fewer"), ("greater", "less"), ("greater", "fewer"), ("higher", "lower"),
    ("larger", "smaller"), ("longer", "shorter"), ("taller", "shorter"), ("better", "worse"), ("older", "younger"),
    ("later", "earlier"), ("after", "before"), ("above", "below"), ("over", "under"), ("faster", "slower"),
)  # fmt: skip
"""Pairs of words a question may leave to choose from, the one that says more of something first."""

ENGLISH = frozenset(
    """
    there where which while about after before their other those these would could should many under never every
    first second third three seven eight years times place total other being until since great large small
    """.split()
)
"""Words that are never a cell's word with a letter wrong."""

QUESTION_WORDS = frozenset("who whom whose what which when where why how".split())
BRIDGES = frozenset(
    """
    is are was were the a an of did does do has had have in name s only other total first last next one kind type
    number many much on were these those this that at for different
    """.split()
)

_ALIASES = """
    win: w won winner; lose: l lost loss; loss: l lost; draw: d drew tie t; tie: t tied d draw; home: h; away: a;
    victory: w won win; defeat: l lost loss; victorious: w won; french: france fra; dutch: netherlands ned holland;
    swiss: switzerland sui; spanish: spain esp; british: britain uk gbr england; danish: denmark den;
    polish: poland pol;
    greek: greece gre; american: us usa united; english: england eng; welsh: wales wal; irish: ireland irl; scottish:
    scotland sco; turkish: turkey tur; finnish: finland fin; german: germany ger frg gdr; italian: italy ita; us: usa
    states; america: us usa states; usa: us states; uk: kingdom britain gbr; swedish: sweden swe; norwegian: norway nor;
    japanese: japan jpn; russian: russia rus; chinese: china chn; canadian: canada can; australian: australia aus;
    brazilian: brazil bra; portuguese: portugal por; tv: television; television: tv; male: m; female: f w; man: m men;
    woman: w women f; champion: 1 winner; gold: 1; silver: 2; bronze: 3;
    january: jan; february: feb; march: mar; april: apr; june: jun; july: jul; august: aug; september: sep sept;
    october: oct; november: nov; december: dec; mexican: mexico mex; belgian: belgium bel; hungarian: hungary hun;
    romanian: romania rou; cuban: cuba cub; kenyan: kenya ken; korean: korea kor; indian: india ind;
    republican: r rep; democrat: d dem; democratic: d dem
"""
ALIASES: dict[str, tuple[str, ...]] = {}
"""Stems a cell may hold in place of a word of a question: marks of results, and countries for their people."""

for _entry in _ALIASES.replace("\n", " ").split(";"):
    _word, _, _forms = _entry.strip().partition(": ")
    ALIASES[_word] = tuple(_forms.split())
