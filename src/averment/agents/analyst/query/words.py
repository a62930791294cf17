"""The words of questions that ask for something to be done: aggregates, directions, splits, and words that say nothing.

All sets hold normal forms. What a word does depends on its neighbours; that is the readers' business.
"""

from __future__ import annotations

from typing import Literal

from averment.tables.select_spec import Function

AGGREGATES: dict[str, Function] = {
    "average": "avg",
    "averaged": "avg",
    "mean": "avg",
    "avg": "avg",
    "total": "sum",
    "sum": "sum",
    "summed": "sum",
    "combined": "sum",
    "overall": "sum",
    "accumulated": "sum",
    "minimum": "min",
    "minimal": "min",
    "min": "min",
    "maximum": "max",
    "maximal": "max",
    "max": "max",
    "median": "median",
}

Direction = Literal["desc", "asc"]

_GREATEST: tuple[str, ...] = tuple(
    """
    most highest largest greatest biggest best top max maximum oldest longest tallest heaviest fastest richest busiest
    latest newest widest deepest hottest warmest furthest farthest strongest maximal
    """.split()
)
_LEAST: tuple[str, ...] = tuple(
    """
    least lowest smallest fewest worst bottom min minimum youngest shortest lightest slowest cheapest earliest poorest
    coldest nearest closest narrowest weakest minimal rarest
    """.split()
)
SUPERLATIVES: dict[str, Direction] = {
    **dict.fromkeys(_GREATEST, "desc"),
    **dict.fromkeys(_LEAST, "asc"),
}
FREQUENT = frozenset("common frequent frequently popular commonly often commmon".split())
ADJECTIVES = frozenset("expensive recent recently experienced populous successful popular valuable costly".split())
SPLITS = frozenset("each every per across".split())
COUNTS = frozenset("many number count".split())
DISTINCT = frozenset("different distinct unique distinctive various".split())
ORDERS = frozenset(
    """
    order ordered ordering sort sorted sorting rank ranked ranking arrange arranged alphabetical
    alphabetically
    """.split()
)
DOWN = frozenset("descending decreasing desc reverse reversed descendingly decreasingly".split())
UP = frozenset("ascending increasing asc ascendingly increasingly".split())
NEGATIONS = frozenset(
    "not no without never except excluding besides n't dont doesnt didnt havent hasnt nor neither cannot".split()
)
RELATIVES = frozenset("who whose that which with where having when whom".split())

PASSED = frozenset(
    "the a an of all any some different distinct unique its their his her this that these those is are".split()
)
"""Words that may stand between an operation and the name it is applied to."""

NEUTRAL = frozenset(
    """
    show list find give return display get what which who whom whose where when how many much number count is are was
    were be been being do does did have has had having the a an of for in on at by to from with and or not no any all
    each every per both either as that this these those there their its his her it they them he she me please can could
    would you i we us our my your tell provide report let know if then than more less most least fewest also along
    together corresponding respective respectively different distinct unique various total sum average mean minimum
    maximum min max overall name names information details detail record records row rows entry entries data table
    database value values order ordered sort sorted ascending descending alphabetical alphabetically lexicographical
    increasing decreasing reverse reversed desc asc top bottom first last highest lowest largest smallest greatest
    biggest best worst
    only one ones same so such into out up over under between within during above below equal greater fewer higher lower
    larger smaller exactly given will shall should may might must but whether ever used use uses using called named
    contain contains containing include includes including substring letter string word title titled some other another
    about belong belongs belonging associated associate related according correspond corresponds currently current
    time times whole entire across among amount amounts least been every list lists following person people someone
    anyone everybody everyone thing things kind type types sorted ranked whose own group grouped compute calculate
    determine identify retrieve select describe display output state specific without except excluding besides compared
    visualize chart bar pie line scatter plot graph draw figure trend percentage percent share proportion ratio please
    visualizing visualizing show showing shows tendency interval bin bins binning axis x y compare comparing
    proportion distribution histogram want like would see result results graphed plotting tell me
    difference common frequent popular frequently commonly often rarest many least max appear appears
    """.split()
)
"""Words that need no place of their own in a reading."""
