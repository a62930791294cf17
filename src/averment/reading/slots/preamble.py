"""What a request says before it asks: columns it makes up, and columns it names twice.

"Create a new column called margin by subtracting cost from price. What is its mean?" defines a word for this one
question, as if somebody had taught it; "the wind speed (WINDSPEED)" says which column is meant. Both are taken out of
the question, so that what is left is read like any other.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Literal

from averment.plans.plan import Test
from averment.reading.lattice.cutting import ADVERBS, cut
from averment.reading.lattice.rivals import EXACT
from averment.reading.reader import read
from averment.reading.schema.prepared import PreparationStep, WantedFigure
from averment.reading.understand import figures, understand, understand_formula
from averment.reading.words import cues, graded, name_words, operations, singular, tokens, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from averment.plans.meaning import Meaning
    from averment.plans.plan import Measure, Value
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema


_TAKES = (
    r"(?:remov\w+|dropp?\w*|exclud\w+|eliminat\w+|discard\w*|delet\w+|omitt?\w*|filter\w*(?:\s+out)?|leav\w+\s+out|"
    r"ignor\w+|disregard\w*|without)"
)
_FINDS = r"(?:identify|identifying|detect|detecting|find|finding|locate|locating|spot|spotting)"
_ANY = r"(?:(?:the|any|all|these|those|such|potential|possible|identified|detected|extreme|every)\s+)*"
_END = (
    r"(?=\s+(?:using|with|by|via|based|through|after|before|then|and|what|how|calculate|compute)\b|\s*[,.;:()?!]|\s*$)"
)
_OF = rf"(?:\s+(?:in|from|of|on|for|within)\s+(?:the\s+)?(?P<of>[^,.;:()?!]+?){_END})?"
_REMOVED = (
    re.compile(
        rf"(?:\b{_FINDS}\s+(?:and|then)\s+)?(?:\b(?:after|by|once|when|and)\s+)?\b{_TAKES}\s+{_ANY}"
        rf"(?P<noun>(?:\w+\s+){{0,3}}?)outliers?\b{_OF}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b{_FINDS}\s+{_ANY}outliers?\b{_OF}\s*,?\s*(?:and|then)\s+{_TAKES}\s+them\b(?:\s+from\s+(?:the\s+)?\w+)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:with|once|after|when)?\s*{_ANY}outliers?\b{_OF}\s+(?:(?:are|were|have\s+been|being)\s+)?"
        r"(?:removed|excluded|dropped|left\s+out|filtered\s+out|taken\s+out)\b",
        re.IGNORECASE,
    ),
)
_LOOKED_FOR = re.compile(
    rf"\b(?:(?:perform|do|run|conduct|apply|carry\s+out)\s+)?(?:an?\s+)?outlier\s+(?:detection|analysis|removal)\b{_OF}",
    re.IGNORECASE,
)
_METHOD = re.compile(
    r"(?:\b(?:using|with|by|via|through|based\s+on|according\s+to)\s+|\(\s*)(?:the\s+|a\s+)?"
    r"(?P<how>(?:absolute\s+)?z[\s-]?scores?|inter-?quartile\s+range|iqr|tukey(?:'s)?)(?:\s*\(\s*iqr\s*\))?"
    r"(?:\s+(?:methods?|rules?|criteri\w+|approach|technique|fences?))?\s*\)?",
    re.IGNORECASE,
)
_REACH = re.compile(
    r"(?:\b(?:with|and|using)\s+)?\(?\s*(?:an?\s+|the\s+)?(?:threshold|cut-?off|limit)\s*(?:of|is|=|:)?\s*[±]?"
    r"(?P<reach>\d+(?:\.\d+)?)(?:\s+for\s+the\s+(?:absolute\s+)?z[\s-]?scores?)?\s*\)?",
    re.IGNORECASE,
)
_SAID_REACH = re.compile(r"\(\s*(?:outliers?\s+(?:are|is)[^()]*|\|?\s*z\s*\|?[^()]*)\)", re.IGNORECASE)
_ROWS = r"(?:(?:the\s+)?(?:rows?|records?|entries|observations?|cases|lines|samples)\s+)"
_MISSING = r"(?:missing|null|empty|blank|nan|unknown)"
_DROPPED = (
    re.compile(
        rf"\b(?:(?:after|by)\s+)?{_TAKES}\s+{_ANY}{_ROWS}?(?:with|that\s+have|having|containing|which\s+have)?\s*"
        rf"(?:an?\s+|any\s+)?{_MISSING}\s+(?:values?|data|entries)\b{_OF}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:(?:after|by)\s+)?{_TAKES}\s+{_ANY}{_ROWS}(?:where|whose|in\s+which|for\s+which)\s+(?:the\s+)?"
        rf"(?P<of>[^,.;:()?!]+?)\s+(?:is|are|was|has|have)\s+(?:an?\s+)?{_MISSING}(?:\s+values?)?\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:(?:after|by)\s+)?{_TAKES}\s+{_ANY}{_ROWS}(?:with|that\s+have|having)\s+(?:an?\s+|no\s+)"
        rf"{_MISSING}\s+(?P<of>[^,.;:()?!]+?){_END}",
        re.IGNORECASE,
    ),
)
_STEPS_LEADS = re.compile(
    r"^(?:perform|do|apply|carry\s+out)\s+(?:some\s+|comprehensive\s+)?(?:data\s+)?(?:pre-?processing|cleaning|preparation)"
    r"(?:\s+(?:on|of)\s+the\s+(?:data\s?set|data|table))?\s*(?:,?\s*which\s+includes|by|and|,|:)?\s*",
    re.IGNORECASE,
)
_STEPS_NOISE = re.compile(
    r"[\"'“”‘’]|\b(?:the|columns?|values?|variables?|features?|fields?|data)\b|"
    r"\b(?:of|in|from)\s+(?:the\s+)?(?:provided\s+|given\s+|whole\s+)?(?:data\s?set|data|table|file)\b",
    re.IGNORECASE,
)
_LEFT = re.compile(r"\b(?:the\s+)?(?:cleaned|remaining|filtered|resulting|trimmed)\s+(?=[\w\"'])", re.IGNORECASE)
_STEPS_AGAIN = re.compile(r"\bre(calculate|compute)\b", re.IGNORECASE)
_EMPTY = frozenset(
    "identify detect find perform do apply first then next and also now please handle clean any all the them these "
    "those from of in on to a an it its by data dataset set table column columns file rows before afterwards".split()
)
"""Words of a sentence that asks for nothing once its step is taken out."""


def without_steps(question: str, schema: Schema) -> tuple[str, Schema]:
    """The question without the steps it begins with, and the tables with these steps to be taken."""
    text, steps = question, list[PreparationStep]()
    if re.search(r"\boutliers?\b", text, re.IGNORECASE):
        read = _outliers(text, schema)
        if read is None:
            return question, schema
        text, found = read
        steps += found
    gaps = _gaps(text, schema)
    if gaps is not None:
        text, found = gaps
        steps += found
    if not steps:
        return question, schema
    rest = _rest(text)
    if not rest:
        return question, schema
    made = copy.copy(schema)
    made.steps = tuple(steps)
    return rest, made


def _outliers(text: str, schema: Schema) -> tuple[str, list[PreparationStep]] | None:
    """The text without what takes outliers out; None where they are looked for and not only taken out."""
    of: list[str] = []
    taken = False
    for pattern in _REMOVED:
        while (match := pattern.search(text)) is not None:
            taken = True
            named = [each for name, each in match.groupdict().items() if name in {"of", "noun"} and each]
            of += named
            text = f"{text[: match.start()]} {text[match.end() :]}"
    if not taken:
        return None
    while (match := _LOOKED_FOR.search(text)) is not None:
        of += [match.group("of")] if match.group("of") else []
        text = f"{text[: match.start()]} {text[match.end() :]}"
    said = {float(each) for inside in _SAID_REACH.findall(text) for each in re.findall(r"\d+(?:\.\d+)?", inside)}
    text = _SAID_REACH.sub(" ", text)
    how = {match.group("how").lower() for match in _METHOD.finditer(text)}
    said |= {float(match.group("reach")) for match in _REACH.finditer(text)}
    text = _REACH.sub(" ", _METHOD.sub(" ", text))
    methods = {"z" if each.lstrip().startswith(("z", "absolute")) else "iqr" for each in how}
    if re.search(r"\boutlier|\bz[\s-]?score|\bquartile", text, re.IGNORECASE) or len(methods) > 1 or len(said) > 1:
        return None
    values = _values(of, schema)
    if values is None:
        return None
    method: Literal["iqr", "z"] = "z" if "z" in methods else "iqr"
    reach = next(iter(said), None)
    return text, [PreparationStep("outliers", value, method, reach) for value in values or (None,)]


def _gaps(text: str, schema: Schema) -> tuple[str, list[PreparationStep]] | None:
    """The text without what drops rows that lack a value."""
    steps: list[PreparationStep] = []
    for pattern in _DROPPED:
        while (match := pattern.search(text)) is not None:
            values = _values([match.group("of")] if match.group("of") else [], schema)
            if values is None:
                return None
            steps += [PreparationStep("gaps", value) for value in values or _lacking(schema)]
            text = f"{text[: match.start()]} {text[match.end() :]}"
    return (text, steps) if steps else None


def _lacking(schema: Schema) -> list[Value]:
    """Every column of the one table that lacks a value somewhere."""
    only = next(iter(schema.tables.values())) if len(schema.tables) == 1 else None
    return [column.value for column in only.columns if column.filled < column.rows] if only is not None else []


def _values(named: list[str], schema: Schema) -> list[Value] | None:
    """The columns that a step names; None where a name is none of them."""
    found: list[Value] = []
    for each in named:
        said = re.sub(r"\s+", " ", _STEPS_NOISE.sub(" ", each)).strip()
        if not said or all(word in _EMPTY | word_list("row") | word_list("stop") for word in said.lower().split()):
            continue
        meaning = understand("step", said, schema)
        if meaning is None or meaning.value is None:
            return None
        found.append(meaning.value)
    return list(dict.fromkeys(found))


def _rest(text: str) -> str:
    """What is left to be read: the sentences that still say something."""
    text = _STEPS_AGAIN.sub(r"\1", _LEFT.sub("", _STEPS_LEADS.sub("", text.strip())))
    kept: list[str] = []
    for sentence in re.split(r"(?<=[.!?;])\s+", re.sub(r"\s+([,.;!?])", r"\1", re.sub(r"\s+", " ", text)).strip()):
        said = re.sub(r"^(?:[\s,.;:]|\b(?:and|then|next|finally|afterwards|after\s+that)\b)+", "", sentence, flags=re.I)
        said = re.sub(r"[\s,]+(?=[.!?;]*$)", "", said)
        if any(word not in _EMPTY for word in re.findall(r"[\w']+", said.lower())):
            kept.append(said)
    return re.sub(r",\s*,", ",", " ".join(kept)).strip(" ,;")


_LEAD = r"(?:=\s*|(?:i\.?\s?e\.?|that is|meaning|namely|calculated as|computed as|defined as|which is)\b[.,:]*\s*)"
_BRACKETS = re.compile(rf"\s*\(\s*{_LEAD}?((?:[^()]|\([^()]*\))+)\)(?!\s*[-+*/×÷)])", re.IGNORECASE)
_TAIL = re.compile(rf"\s*(?:[,;:]\s*{_LEAD}?|\b{_LEAD})(.+?)\s*(?=,|[.?!]*$)", re.IGNORECASE)
_WRITTEN = re.compile(r"\w[\s)]*[-+*/×÷]\s*\(?\w")
_FIGURES = frozenset("total average mean median highest lowest largest biggest smallest overall".split())
"""What stands before the name of a figure, whatever that is."""

_NAMED = 0.8
"""From this strength on a word before a figure's noun is a value or a column of its own, and no part of the name."""


def formula_gloss(text: str, schema: Schema) -> tuple[str, Meaning] | None:
    """The text without a formula that defines what stands before it, and what it defines."""
    for start, end, said in _candidates(text):
        name = _headed(text[:start], said, schema)
        made = understand_formula(name, said, schema) if name else None
        if made is not None and not _names_part(name, made, schema):
            return re.sub(r"\s+", " ", f"{text[:start]} {text[end:]}").strip(), made
    return None


def _candidates(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a formula may stand that says over again what is before it: in brackets, or at the end."""
    tails = [found for at in range(len(text)) if (found := _TAIL.match(text, at)) is not None]
    for match in (*_BRACKETS.finditer(text), *tails):
        whole = match.group(1).count("(") == match.group(1).count(")")
        if match.start() and whole and _has_sign(match.group(1)):
            yield match.start(), match.end(), re.sub(r"(?<=\w)/(?=\w)", " / ", match.group(1))


def _has_sign(said: str) -> bool:
    words = re.findall(r"[\w'-]+", said.lower())
    phrases = {" ".join(words[at : at + size]) for size in (1, 2) for at in range(1, len(words) - size)}
    return _WRITTEN.search(said) is not None or bool(phrases & operations().keys())


def _headed(before: str, said: str, schema: Schema) -> str:
    """What a formula is the formula of: the noun of a figure nearest before it, with what describes it."""
    lattice = cut(before, schema)
    words = lattice.words
    named = [at for at, word in enumerate(words) if word in word_list("figure_noun") and words[max(0, at - 1)] != "in"]
    taken = [at for at in range(1, len(words)) if words[at - 1] in _FIGURES and not _is_apart(lattice, at)]
    head = (named or taken)[-1] if named or taken else None
    if head is None:
        return ""
    first = head
    while first and head - first < 2 and not _is_apart(lattice, first - 1):
        first -= 1
    while words[first] in word_list("light"):
        first += 1
    end = head + 1
    if words[end : end + 1] == ["per"] and _is_divisor(lattice, end + 1, said, schema):
        end += 2  # "cost per kilo (freight cost / weight)"
    return " ".join(words[first:end])


def _is_divisor(lattice: Lattice, place: int, said: str, schema: Schema) -> bool:
    """Whether a word names a number of the formula, and not what the figure is told by."""
    parts = {s.data for s in cut(said, schema).spans if s.type == "COLUMN" and s.strength >= _NAMED}
    here = [s.data for s in lattice.spans if s.type == "COLUMN" and s.start == place and s.strength >= _NAMED]
    return any(column in parts and column.has("measure") for column in here)


def _is_apart(lattice: Lattice, place: int) -> bool:
    """Whether a word is no part of a figure's name: it asks for something, or some of the rows are called so."""
    word = lattice.words[place]
    if word in _STOPS or word in graded() or (word,) in cues():
        return True
    return any(s.type in {"VALUE", "TIME"} and s.start <= place < s.end and s.strength >= _NAMED for s in lattice.spans)


def _names_part(name: str, made: Meaning, schema: Schema) -> bool:
    """Whether what stands before a formula is itself a column of it, which is then not defined by it."""
    parts = set(made.columns())
    spans = cut(name, schema).spans
    whole = len(name.split())
    named = [s.data for s in spans if s.type == "COLUMN" and (s.start, s.end) == (0, whole) and s.strength >= EXACT]
    return any((column.table, column.name) in parts for column in named)


_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BAND = re.compile(r"[\"'“‘]?\b[A-Za-z][\w/-]*(?:\s+[A-Za-z][\w/-]*)?[\"'”’]?\s*\(\s*(?P<range>[^()]{1,40}?)\s*\)")
_UNITS = re.compile(
    r"\b(?:years?|yrs?|old|of\s+age|inclusive|both|included|dollars?|points?|units?|aged?)\b|[$€£]", re.IGNORECASE
)
_FROM_TO = re.compile(rf"(?:between\s+|from\s+)?{_NUMBER}\s*(?:-|–|to|and|through)\s*{_NUMBER}", re.IGNORECASE)
_OPEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), operator)
    for pattern, operator in (
        (rf"{_NUMBER}\s*(?:\+|(?:and|or)\s+(?:above|over|more|older|higher|up|greater))", ">="),
        (rf"(?:at\s+least|>=|≥|from)\s*{_NUMBER}", ">="),
        (rf"(?:over|above|more\s+than|greater\s+than|older\s+than|>)\s*{_NUMBER}", ">"),
        (rf"{_NUMBER}\s*(?:and|or)\s+(?:below|under|less|younger|lower|fewer)", "<="),
        (rf"(?:at\s+most|up\s+to|<=|≤)\s*{_NUMBER}", "<="),
        (rf"(?:under|below|less\s+than|younger\s+than|<)\s*{_NUMBER}", "<"),
    )
)
_EACH = re.compile(
    r"\b(?:for|of|in|by|within|per|across)\s+(?:each|every)\s+(?:of\s+(?:these|the|those)\s+)?(?:[\w-]+\s+){0,2}?"
    r"(?:groups?|categor(?:y|ies)|bands?|brackets?|bins?|segments?|levels?|ranges?)\b"
    r"(?:\s+(?:in|of)\s+the\s+(?:[\"'“]\w+[\"'”]\s+)?(?:column|data\s?set|data))?",
    re.IGNORECASE,
)
_BANDS_THEN = re.compile(r"^(?:then|next|after\s+that|finally|afterwards)\s*,?\s*", re.IGNORECASE)


def without_bands(question: str, schema: Schema) -> tuple[str, Schema]:
    """The question without the sentence that makes bands, and the tables with the bands to be taken.

    The text stays whole where a band cannot be read, where it is open whose bands they are, or where nothing is asked
    of each of them.
    """
    sentences = re.split(r"(?<=[.!?;])\s+", question.strip())
    made = next((s for s in sentences if len(_BAND.findall(s)) > 1), None)
    rest = " ".join(sentence for sentence in sentences if sentence is not made)
    if made is None or not _EACH.search(rest):
        return question, schema
    column = _cut(made, schema)
    tests = [_test(match.group("range"), column) for match in _BAND.finditer(made)] if column is not None else []
    kept = [test for test in tests if test is not None]
    if len(kept) < 2 or len(kept) != len(tests):
        return question, schema
    changed = copy.copy(schema)
    changed.steps = (*schema.steps, PreparationStep("bands", bands=tuple(kept)))
    return _BANDS_THEN.sub("", re.sub(r"\s+", " ", _EACH.sub("", rest)).strip()), changed


def _cut(sentence: str, schema: Schema) -> Value | None:
    """The one number that a sentence outside of its bands names."""
    said = {singular(word) for word, _, _ in tokens(_BAND.sub(" ", sentence))}
    able: list[Column] = [
        column
        for column in schema.columns
        if column.kind == "number" and not column.has("key") and {*map(singular, name_words(column.name))} <= said
    ]
    return able[0].value if len(able) == 1 else None


def _test(said: str, value: Value | None) -> Test | None:
    """The rows of one band."""
    named = "|".join(map(re.escape, name_words(value.column or ""))) if value is not None else ""
    plain = re.sub(rf"\b(?:{named})\b", " ", _UNITS.sub(" ", said), flags=re.IGNORECASE) if named else said
    plain = re.sub(r"\s+", " ", plain).strip(" ,;:")
    both = _FROM_TO.fullmatch(plain)
    if both is not None:
        low, high = (_number(each) for each in both.groups())
        return Test(value=value, operator="between", to=(low, high)) if low <= high else None
    for pattern, operator in _OPEN:
        match = pattern.fullmatch(plain)
        if match is not None:
            return Test(value=value, operator=operator, to=(_number(match.group(1)),))  # pyright: ignore[reportArgumentType]
    return None


def _number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


_LAST = re.compile(
    r"(?P<asked>.*\S[.?!])\s+(?:please\s+)?(?:return|show|give|list|report|display|provide|include|output)\s+"
    r"(?:me\s+)?(?:both\s+)?(?P<items>[^.?!\n]+?)\s*[.?!]?\s*",
    re.IGNORECASE | re.DOTALL,
)
_PARTS = re.compile(
    r"\s*,\s*(?:and\s+|as\s+well\s+as\s+)?|\s+and\s+|\s+along\s+with\s+|\s+as\s+well\s+as\s+", re.IGNORECASE
)
_OWN = re.compile(
    r"\b(?:the|their|its|his|her|or|both|all|respective|corresponding|each)\b|\(\s*as\s+an?\s+\w+\s*\)", re.I
)
_FIGURE = re.compile(
    r"\b(?:number|count|total|sum|average|mean|median|maximum|minimum|max|min|highest|lowest)\b", re.IGNORECASE
)
_COUNT = re.compile(r"^(?:total\s+)?(?P<of>.+?)\s+count$", re.IGNORECASE)
_DONE = re.compile(r"\s+(?:made|issued|received|sent|sold|placed|taken|\w+ed)$", re.IGNORECASE)
_ASKS_MORE = re.compile(
    r"\b(?:charts?|graphs?|plots?|histograms?|diagrams?|sort\w*|ordered|ordering|ranked|by|for|in|only|top|results?|where|with|"
    r"whose|who|that|which|from|per|correlation|relationship|than|if)\b",
    re.IGNORECASE,
)
"""Words of a last sentence that does more than name what is to be told."""


def without_wanted(question: str, schema: Schema) -> tuple[str, Schema]:
    """The question without its last sentence, and the tables with what that says the answer must tell.

    The text stays whole where the sentence says anything else, or where what is left or what it names is not read.
    """
    match = _LAST.fullmatch(question.strip())
    if match is None or _ASKS_MORE.search(match.group("items")):
        return question, schema
    items = [re.sub(r"\s+", " ", _OWN.sub(" ", each)).strip() for each in _PARTS.split(match.group("items"))]
    wanted = tuple(WantedFigure(each, _figures(each, schema)) for each in items if each)
    made = copy.copy(schema)
    made.wanted = wanted
    rest = match.group("asked").strip()
    found = read(rest, made) if wanted else []
    return (rest, made) if found and not found[0].left else (question, schema)


def _figures(item: str, schema: Schema) -> tuple[Measure, ...]:
    """What a figure's words can mean."""
    if not _FIGURE.search(item):
        return ()
    counted = _COUNT.match(item)
    said = f"number of {counted.group('of')}s" if counted is not None else item
    return tuple(figures(said, schema) or figures(_DONE.sub("", said), schema))


_NAME = r"[\"'“‘](?P<name>[^\"'”’]+)[\"'”’]|(?P<bare>\w+)"
_NEW = r"(?:new |additional |derived |computed )?(?:feature|column|variable|field|attribute)"
_DEFINES = re.compile(
    rf"(?:^|(?<=[.!?;]\s)|\b(?:by|then|and)\s+)"
    rf"(?:creat\w+|generat\w+|add\w*|mak\w+|comput\w+|construct\w*|deriv\w+|defin\w+|introduc\w+)\s+(?:an?|the)\s+{_NEW}\s*,?\s*"
    rf"(?:called|named|for|:)?\s*(?:{_NAME})\s*,?\s*(?P<how>[^.!?]*(?:\.\d[^.!?]*)*)[.!?]?\s*",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"^(?:by|as|that|which|where|it)?\s*(?:is|are|represents|equals|shows|contains|holds|calculated as|computed as)?\s*"
    r"(?:calculating|computing|taking)?\s*(?:the\s+)?",
    re.IGNORECASE,
)
_WAYS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), written)
    for pattern, written in (
        (r"^(?:dividing|ratio (?:of|between)|quotient of)\s+(.+?)\s+(?:by|to|and)\s+(.+)$", r"\1 / \2"),
        (r"^(?:multiplying|product of)\s+(.+?)\s+(?:by|and|with)\s+(.+)$", r"\1 * \2"),
        (r"^subtracting\s+(.+?)\s+from\s+(.+)$", r"\2 - \1"),
        (r"^difference (?:between|of)\s+(.+?)\s+and\s+(.+)$", r"\1 - \2"),
        (r"^(?:summing|adding|sum of|total of)\s+(?:up\s+)?(.+)$", r"\1"),
    )
)
_NOISE = re.compile(
    r"[\"'“”‘’]|\b(?:the|columns?|values?|variables?|features?|prices?)\b|\bfor (?:each|every|all)\b.*$|,?\s*$",
    re.IGNORECASE,
)
_AGAIN = re.compile(rf"\b(?:this|the|that)\s+(?:resulting\s+)?new\s+{_NEW}|\bthis\s+{_NEW}", re.IGNORECASE)
_ASIDES = re.compile(
    r"(?:,?\s*\band\s+)?\bround(?:ed|ing)?\s+(?:off\s+)?(?:(?:your|the|all)\s+)?(?:final\s+)?"
    r"(?:(?:answers?|results?|values?|figures?|numbers?|it|them)\s+)?(?:off\s+)?to\s+(?:\d+|one|two|three|four|six)\s+"
    r"decimals?(?:\s+(?:places?|points?|digits?))?\s*[.]?|"
    r"\bif (?:so|yes|any|there are|there are any)\b\s*,?\s*(?=how|which|what|who|list|give|show)"
    r"|\s*\((?:r|rho|std|sd|iqr|n|p)\)",
    re.IGNORECASE,
)
"""What only follows up the question before it, abbreviates the figure's name, or says how it is to be written."""
_THE_YEAR = re.compile(r"\b((?:in|for|of|during)\s+)the\s+year\s+(?=(?:1[5-9]|20)\d\d\b)", re.IGNORECASE)
_LEADS = re.compile(r"^(?:perform|do|using|use|apply)\s+feature engineering\s*(?:by|and|to|,)?\s*", re.IGNORECASE)
_THEN = re.compile(r"^(?:then|next|after that|finally|afterwards)\s*,?\s*", re.IGNORECASE)


def without_preamble(question: str, schema: Schema) -> tuple[str, Schema]:
    """The question without what it defines or says twice, and the tables with the words it defines."""
    question, schema = without_bands(*without_steps(_named_once(question, schema), schema))
    text = _THE_YEAR.sub(r"\1", _ASIDES.sub("", question))
    found: list[Meaning] = []
    gloss = formula_gloss(text, schema)
    if gloss is not None:
        text = gloss[0]
        found.append(gloss[1])
    while (match := _DEFINES.search(text)) is not None:
        word = match.group("name") or match.group("bare")
        meaning = _defined(word, match.group("how"), schema)
        if meaning is None:
            return text if not found else _ASIDES.sub("", question), schema
        found.append(meaning)
        rest = f"{_LEADS.sub('', text[: match.start()]).strip()} {text[match.end() :].strip()}".strip()
        text = _AGAIN.sub(word, _THEN.sub("", rest))
    if not text:
        return question, schema
    if found:
        schema = copy.copy(schema)
        schema.taught = (*found, *schema.taught)
    return without_wanted(text, schema)


def _defined(word: str, how: str, schema: Schema) -> Meaning | None:
    """What a made-up column is computed of, or None where that cannot be read."""
    said = _OPENS.sub("", how.strip(), count=1)
    for pattern, written in _WAYS:
        match = pattern.match(said)
        if match is None:
            continue
        if written == r"\1":
            formula = " + ".join(_plain(part) for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", match.group(1)))
        else:
            sides = [_plain(part) for part in match.groups()]
            formula = written.replace(r"\1", sides[0]).replace(r"\2", sides[1])
        return understand(word, formula, schema)
    return understand(word, _plain(said), schema)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", _NOISE.sub(" ", text)).strip()


def _named_once(question: str, schema: Schema) -> str:
    """ "the wind speed (WINDSPEED) column" as the column alone, where the brackets hold just its name."""
    text = question
    for name in sorted({column.name for column in schema.columns}, key=len, reverse=True):
        for bracket in re.finditer(rf"\s*\(\s*[\"'“‘]?{re.escape(name)}[\"'”’]?\s*\)", text):
            before = re.findall(r"[\w'-]+", text[: bracket.start()])
            kept = 0
            while kept < min(4, len(before)) and not _asks(before[-1 - kept].lower()):
                kept += 1
            described = re.escape(" ".join(before[len(before) - kept :])).replace(r"\ ", r"\W+") if kept else ""
            text = re.sub(rf"{described}\s*\(\s*[\"'“‘]?{re.escape(name)}[\"'”’]?\s*\)", f" {name}", text, count=1)
            break
    return re.sub(r"\s+", " ", text).strip() if text != question else question


def _asks(word: str) -> bool:
    """Whether a word is no part of a column's description: it asks for something, or says by what time."""
    return word in _STOPS or word in graded() or (word,) in cues() or word in ADVERBS


_STOPS = word_list("stop") | {"average", "mean", "median", "total", "sum", "between", "and", "or", "by", "each", "per"}
