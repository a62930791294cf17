"""Verbs in the past, and the verb that each is of: "rang" and "rung" are of "ring"."""

from __future__ import annotations

_FORMS = """
begin began begun, bind bound, bite bit bitten, blow blew blown, break broke broken, bring brought, build built, buy
bought, catch caught, choose chose chosen, clean cleaned, come came, cut cut, deal dealt, dig dug, do did done, draw
drew drawn, drink drank drunk, drive drove driven, eat ate eaten, feed fed, fill filled, find found, fix fixed, fly
flew flown, forget forgot forgotten, freeze froze frozen, get got gotten, give gave given, go went gone, grind
ground, hang hung, have had, hear heard, hide hid hidden, hold held, keep kept, lay laid, lead led, learn learnt,
leave left, lend lent, light lit, lose lost, make made, meet met, mow mown, pay paid, put put, quit quit, read read,
ride rode ridden, ring rang rung, run ran, say said, see saw seen, sell sold, send sent, set set, sew sewn, shake
shook shaken, shoot shot, shut shut, sing sang sung, sit sat, sleep slept, sow sown, speak spoke spoken, spend
spent, split split, spread spread, steal stole stolen, stick stuck, sweep swept, swim swam swum, take took taken,
teach taught, tear tore torn, tell told, think thought, throw threw thrown, understand understood, wake woke woken,
wear wore worn, weave wove woven, win won, wind wound, write wrote written
"""
_OF = {form: forms.split()[0] for forms in _FORMS.replace("\n", " ").split(",") for form in forms.split()[1:]}
_SAME = frozenset(form for form, verb in _OF.items() if form == verb)


def verb_of(word: str) -> str | None:
    """The verb that a word is a past form of; None where it is none. Regular forms keep their ending."""
    plain = word.casefold()
    if plain in _OF:
        return _OF[plain]
    return plain if len(plain) > 4 and plain.endswith("ed") and not plain.endswith("eed") else None


def commands_too(word: str) -> bool:
    """Whether a past form is written like a command: "put", "read", "cut"."""
    return word.casefold() in _SAME
