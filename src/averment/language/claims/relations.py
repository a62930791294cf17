"""Words that mark one relation: who asks for an artist is answered by "album by", "recorded by", "singer".

Groups of stems, each a relation that questions and texts name in different words. A word of a group stands for all of
it; the word itself counts most.
"""

from __future__ import annotations

from functools import lru_cache

from averment.language.stems import root

_GROUPS = """
    artist singer musician band album by singer perform record musician song ep single duo group rapper music studio
    director direct filmmaker helm by film movie
    producer produce production produced by production
    author write writer written by novel book poem
    composer compose composition music by symphony music
    creator create creation develop by write creator invent
    designer design architect designed by
    architect design by build
    born birth b bear birthdate birthday
    die death d decease
    establish found form open inception organise organize institute incorporate launch begin start create charter date
    build built construct complete erect construction date completion
    release launch come available debut publish premiere publication
    premiere air debut return begin release start broadcast launch season
    date take place hold schedule
    population people inhabitant resident person live populate
    locate location situate in at county address based base headquarter near
    win winner champion title defeat beat victory triumph crown top clinch gold award championship
    acquire buy purchase bought purchase acquisition deal takeover own merger takeover owner
    husband marry wife spouse marriage wed consort widow
    wife marry husband spouse marriage wed consort
    father son daughter child parent born
    mother son daughter child parent born
    ceo chief executive head lead officer boss
    minister secretary minister office appoint
    sport sports athlete player play football team league athlete coach club game
    profession occupation career job work job actor politician player writer known
    genre genres style type film album music
    party affiliation partisan member elect candidate politician
    language speak spoken
    medium media artform film novel television series book album game
    format formats programming radio station broadcast film programming
    position positions role play player role
    actress star role cast play actor portray lead
    award receive win honour prize recipient winner laureate
    elect election office serve win
    confirm confirmation senate nominate appoint
    raise form regiment
    host hosted hosting hold city
    operate operator run railway owner
    median average age
    age aged old year
    size area acre square long length
    length long lap km mile distance
    publish newspaper publisher press
    engine displacement cc
    feast day saint celebrate commemorate
    ascend throne reign succeed rule sultan king
    broadcast air show first programme
    character protagonist hero role
    country nation republic state republic
    invasion lead led commander general
    headset device product
    worth fortune wealth estimate
    revenue sales turnover income
    cause lead result due because
    risk danger threat hazard
"""
_MEMBER = 0.7


@lru_cache(maxsize=4096)
def related(word: str) -> dict[str, float]:
    """The roots that may mark a word's relation: its own with 1, those of its groups with less."""
    own = root(word)
    marks = {own: 1.0}
    for group in _groups():
        # The first four words of a group name its relation; the others only mark it.
        if own in group[:4]:
            for other in group:
                marks.setdefault(other, _MEMBER)
    return marks


@lru_cache(maxsize=1)
def _groups() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(root(word) for word in line.split()) for line in _GROUPS.strip().splitlines())
