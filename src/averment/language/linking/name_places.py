"""Short and long names of the same thing among values: states, countries, genders, yes and no.

Only codes in common use and beyond dispute are here; two-letter codes count in a question only when written in
capitals, since "in", "or" and "me" are words first.
"""

from __future__ import annotations

_STATES = (
    "al alabama,ak alaska,az arizona,ar arkansas,ca california,co colorado,ct connecticut,de delaware,"
    "dc district of columbia,fl florida,ga georgia,hi hawaii,id idaho,il illinois,in indiana,ia iowa,ks kansas,"
    "ky kentucky,la louisiana,me maine,md maryland,ma massachusetts,mi michigan,mn minnesota,ms mississippi,"
    "mo missouri,mt montana,ne nebraska,nv nevada,nh new hampshire,nj new jersey,nm new mexico,ny new york,"
    "nc north carolina,nd north dakota,oh ohio,ok oklahoma,or oregon,pa pennsylvania,ri rhode island,"
    "sc south carolina,sd south dakota,tn tennessee,tx texas,ut utah,vt vermont,va virginia,wa washington,"
    "wv west virginia,wi wisconsin,wy wyoming"
)
_COUNTRIES = (
    "ar arg argentina,au aus australia,at aut austria,be bel belgium,br bra brazil,ca can canada,"
    "ch che switzerland,cl chl chile,cn chn china,co col colombia,cz cze czech republic,de deu ger germany,"
    "dk dnk den denmark,eg egy egypt,es esp spain,fi fin finland,fr fra france,gb gbr uk united kingdom,"
    "gr grc greece,hk hkg hong kong,hu hun hungary,id idn indonesia,ie irl ireland,il isr israel,in ind india,"
    "it ita italy,jp jpn japan,ke ken kenya,kr kor south korea,mx mex mexico,my mys malaysia,ng nga nigeria,"
    "nl nld netherlands,no nor norway,nz nzl new zealand,pe per peru,ph phl philippines,pk pak pakistan,"
    "pl pol poland,pt prt portugal,ro rou romania,ru rus russia,sa sau saudi arabia,se swe sweden,"
    "sg sgp singapore,th tha thailand,tr tur turkey,tw twn taiwan,ua ukr ukraine,us usa united states,"
    "ve ven venezuela,vn vnm vietnam,za zaf south africa"
)
_EXTRA = (
    ("united states", "united states of america", "us", "usa"),
    ("united kingdom", "great britain", "uk", "gb"),
    ("russia", "russian federation"),
    ("south korea", "korea republic of", "republic of korea"),
    ("netherlands", "the netherlands", "holland"),
    ("czech republic", "czechia"),
    ("male", "m", "man", "men", "males"),
    ("female", "f", "woman", "women", "females"),
    ("yes", "y", "true"),
    ("no", "n", "false"),
    ("new york", "new york city", "nyc"),
    ("los angeles", "la"),
    ("san francisco", "sf"),
    ("washington", "washington dc"),
)


def _groups() -> list[tuple[str, ...]]:
    groups: list[tuple[str, ...]] = []
    for entry in _STATES.split(","):
        code, _, name = entry.partition(" ")
        groups.append((code, name))
    for entry in _COUNTRIES.split(","):
        words = entry.split()
        codes = [word for word in words[:3] if len(word) <= 3]
        groups.append((*codes, " ".join(words[len(codes) :])))
    return [*groups, *_EXTRA]


ALIASES: dict[str, tuple[str, ...]] = {}
"""Every name in folded form with the other names of the same thing."""
for _group in _groups():
    for _name in _group:
        _others = (*ALIASES.get(_name, ()), *(other for other in _group if other != _name))
        ALIASES[_name] = tuple(dict.fromkeys(_others))
