"""Coverings: the best few ways in which mentions cover a question, no word twice; what none covers is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.reading.grammar.cues import WEAK, is_light
from averment.reading.grammar.mentions import Mention

if TYPE_CHECKING:
    from averment.reading.grammar.mentions import Words

BEAM = 28
MOST = 7
BEHIND = 1.1
"""How far behind the best a covering may lie."""
LONGER = 0.12
"""What a mention gains for each further word it takes."""
LIGHT = 0.3
"""What a word that names nothing weighs beside one that may."""
ASKING = 0.6
"""What such a word weighs where it asks for something."""
UNKNOWN = -0.6


@dataclass(frozen=True, slots=True)
class Covering:
    """One way to take the words of a question."""

    mentions: tuple[Mention, ...]
    score: float

    @property
    def items(self) -> tuple[Mention, ...]:
        """The mentions that say something."""
        return tuple(each for each in self.mentions if each.type not in {"STOP", "UNKNOWN"})

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that nothing explains."""
        return tuple(each.text for each in self.mentions if each.type == "UNKNOWN")


def coverings(words: Words, mentions: list[Mention]) -> list[Covering]:
    """The best coverings, best first."""
    starting: dict[int, list[tuple[float, Mention]]] = {}
    for each in _best_of_same(mentions):
        starting.setdefault(each.start, []).append((_worth(each, words), each))
    size = len(words.words)
    ways: list[list[tuple[float, tuple[Mention, ...]]]] = [[] for _ in range(size + 1)]
    ways[0] = [(0.0, ())]
    for at in range(size):
        ways[at].sort(key=lambda way: -way[0])
        word = words.words[at]
        plain = (
            Mention(at, at + 1, "STOP", 1.0, None, word)
            if is_light(word)
            else Mention(at, at + 1, "UNKNOWN", 0.0, None, word)
        )
        steps = [(0.0 if plain.type == "STOP" else UNKNOWN, plain), *starting.get(at, ())]
        for score, taken in ways[at][:BEAM]:
            for gain, each in steps:
                ways[each.end].append((score + gain, (*taken, each)))
    done = sorted(ways[size], key=lambda way: -way[0])[:MOST]
    return [Covering(taken, score) for score, taken in done if score >= done[0][0] - BEHIND]


def _worth(mention: Mention, words: Words) -> float:
    light = ASKING if mention.type == "CUE" and not mention.cue(*WEAK) else LIGHT
    weight = sum(light if is_light(words.words[n]) else 1.0 for n in range(mention.start, mention.end))
    gain = weight * mention.strength + LONGER * (mention.end - mention.start - 1)
    # A guess is worth more than an unknown word and less than anything that is named.
    return gain - 0.55 if mention.guessed else gain


def _best_of_same(mentions: list[Mention]) -> list[Mention]:
    """Each meaning of the same words once, by the strongest of its mentions."""
    best: dict[object, Mention] = {}
    for each in mentions:
        data: Any = each.data
        if each.type == "VALUE":
            data = (id(each.data[0]), each.data[1])
        elif not isinstance(each.data, tuple | str):
            data = id(each.data)
        place = (each.start, each.end, each.type, data)
        if place not in best or best[place].strength < each.strength:
            best[place] = each
    return list(best.values())
