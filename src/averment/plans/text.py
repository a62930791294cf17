"""The one-line text form of a plan, for people and models, beside its JSON.

``parse_text(to_text(plan))`` is the plan again, exactly. What the line has no words for stands in braces as JSON right
behind the part it belongs to, so a field that is added to the language can be written at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from averment.plans.plan import GIVEN, Operator, Part, Plan, parse_plan
from averment.plans.registry import AGGREGATES

if TYPE_CHECKING:
    from averment.plans.plan import GroupTest, Measure, Rank, Scalar, Statistic, Test, Value, Window
    from averment.records.base import Record

KEYWORDS = frozenset(
    "from join left on where by take having window along span to steps within over groups show distinct rank highest "
    "lowest skip order up down ask statistic of between bins method union intersect except expect chart and or not in "
    "is null contains starts ends weighted percent true false any all".split()
)

_BARE = re.compile(r"[^\W\d]\w*")

COMBINED = ("union", "intersect", "except")


def to_text(plan: Plan) -> str:
    """The plan in one line."""
    # Whatever the words cannot hold exactly is written as JSON, which is a text form too.
    whole = json.dumps(plan.to_json(), ensure_ascii=False)
    try:
        line = _PlanWriter(plan.table).plan(plan)
        return line if read_line(line).hash == plan.hash else whole
    except ValueError:
        return whole


def parse_text(text: str) -> Plan:
    """The plan of a line, which may also be the plan's JSON.

    Raises:
        InvalidArguments: the line is no plan; the message says where it stops being one.
    """
    from averment.errors import InvalidArguments

    if text.lstrip().startswith("{"):
        try:
            body = json.loads(text)
        except ValueError as error:
            raise InvalidArguments(f"This is not JSON: {error}.") from error
        return parse_plan(body, given=True)
    try:
        return read_line(text)
    except ValueError as error:
        raise InvalidArguments(f"This is not a plan in its text form: {error}") from error


def any_plan(given: Plan | Mapping[str, Any] | str) -> Plan:
    """A plan from whichever form it is given in: the record, its JSON, or its line.

    Raises:
        InvalidArguments: it is none.
    """
    return parse_text(given) if isinstance(given, str) else parse_plan(given, given=True)


def name(text: str) -> str:
    """A name as a line has it: bare, or between backquotes with JSON's escapes."""
    if _BARE.fullmatch(text) and (text[0].isalpha() or text[0] == "_") and text.casefold() not in KEYWORDS:
        return text
    return f"`{json.dumps(text, ensure_ascii=False)[1:-1].replace('`', chr(92) + 'u0060')}`"


def scalar(value: Scalar) -> str:
    """A literal."""
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    whole = float(value).is_integer() and abs(value) < 1e15 and str(value) != "-0.0"
    return str(int(value)) if whole else repr(float(value))


def _more(record: Record, said: Iterable[str]) -> str:
    """What the words did not say, in braces."""
    left = {k: v for k, v in record.model_dump(mode="json", exclude_defaults=True).items() if k not in set(said)}
    return json.dumps(left, ensure_ascii=False, separators=(",", ":")) if left else ""


class _PlanWriter:
    """Writes one plan; columns of its own table need no table before them."""

    def __init__(self, table: str) -> None:
        self.table = table

    def plan(self, plan: Plan) -> str:
        parts = [f"from {name(plan.table)}"]
        for join in plan.joins:
            word = "left join" if join.outer else "join"
            left = f"{name(join.left)}.{name(join.left_column)}"
            parts.append(f"{word} {name(join.right)} on {left} = {name(join.right)}.{name(join.right_column)}")
        if plan.where:
            parts.append(f"where {self.tests(plan.where)}")
        if plan.by:
            parts.append(f"by {self.values(plan.by)}")
        if plan.measures:
            parts.append(f"take {', '.join(map(self.measure, plan.measures))}")
        if plan.having:
            parts.append(f"having {' and '.join(map(self.group_test, plan.having))}")
        if plan.window is not None:
            parts.append(self.window(plan.window))
        if plan.over_groups is not None:
            parts.append(f"over groups {plan.over_groups}")
        if plan.show:
            parts.append(f"show {'distinct ' if plan.distinct else ''}{self.values(plan.show)}")
        if plan.rank is not None:
            parts.append(self.rank(plan.rank))
        if plan.order:
            places = [f"{each.at} {'down' if each.descending else 'up'}" for each in plan.order]
            parts.append(f"order {', '.join(places)}")
        if plan.statistic is not None:
            parts.append(self.statistic(plan.statistic))
        if plan.asks is not None:
            parts.append(f"ask {plan.asks}")
        if plan.combine is not None:
            parts.append(f"{plan.combine.operation} {self.inner(plan.combine.other)}")
        if plan.expects != "table":
            parts.append(f"expect {plan.expects}")
        if plan.chart is not None:
            parts.append(f"chart {name(plan.chart)}")
        said = {"version", "table", "joins", "where", "by", "measures", "having", "window", "over_groups", "show"}
        said |= {
            "rank",
            "order",
            "statistic",
            "asks",
            "combine",
            "expects",
            "chart",
            *(["distinct"] if plan.show else []),
        }
        more = _more(plan, said)
        return " ".join([*parts, more] if more else parts)

    def inner(self, plan: Plan) -> str:
        return f"[{_PlanWriter(plan.table).plan(plan)}]"

    def values(self, values: Sequence[Value]) -> str:
        return ", ".join(map(self.value, values))

    def value(self, value: Value, *, operand: bool = False) -> str:
        said = {"kind", "table", "column"}
        column = name(value.column or "")
        if value.table != self.table:
            column = f"{name(value.table) if value.table is not None else ''}.{column}"
        match value.kind:
            case "column":
                text = column
            case "part":
                text, said = f"{value.part}({column})", said | {"part"}
            case "arithmetic" if len(value.operands) == 2:
                left, right = (self.value(each, operand=True) for each in value.operands)
                text, said = f"({left} {value.operation} {right})", {"kind", "operation", "operands"}
            case "number" if value.number is not None:
                text = _number(value.number) if operand else f"number({_number(value.number)})"
                said = {"kind", "number"}
            case "bucket" if value.width is not None:
                text, said = f"bucket({column}, {_number(value.width)})", said | {"width"}
            case _ if value.operands:
                text, said = f"{value.kind}({self.values(value.operands)})", {"kind", "operands"}
            case _ if value.column is None:
                text, said = f"{value.kind}()", {"kind"}
            case _:
                text = f"{value.kind}({column})"
        return text + _more(value, said)

    def tests(self, tests: Sequence[Test]) -> str:
        return " and ".join(map(self.test, tests))

    def test(self, test: Test) -> str:
        negated = "not " if test.negated else ""
        for word, inside, field in (("or", test.any_of, "any_of"), ("and", test.all_of, "all_of")):
            if inside:
                told = [self.test(each) for each in inside]
                group = f" {word} ".join(told) if len(told) > 1 else f"{'any' if word == 'or' else 'all'} {told[0]}"
                return f"{negated}({group}){_more(test, {field, 'negated'})}"
        if test.value is None:
            raise ValueError("a test looks at a value")
        said = {"value", "operator", "negated"}
        value = self.value(test.value)
        if test.operator == "null":
            text = f"{value} is null"
        elif test.inner is not None:
            text, said = f"{value} {test.operator} {self.inner(test.inner)}", said | {"inner"}
        elif test.other is not None:
            text, said = f"{value} {test.operator} {self.value(test.other)}", said | {"other"}
        else:
            text, said = (
                f"{value} {test.operator} {_literals(test.operator, [scalar(each) for each in test.to])}",
                said | {"to"},
            )
        return negated + text + _more(test, said)

    def measure(self, measure: Measure) -> str:
        said = {"function", "of", "at", "where", "over", "percent", "weight"}
        inside = self.value(measure.of) if measure.of is not None else ""
        if measure.function == "rows" and measure.table is not None and measure.of is None:
            inside, said = name(measure.table), said | {"table"}
        if measure.at is not None:
            inside += f", {_number(measure.at)}"
        if measure.weight is not None:
            inside += f" weighted by {self.value(measure.weight)}"
        if measure.where:
            inside += f" where {self.tests(measure.where)}"
        text = f"{'percent ' if measure.percent else ''}{measure.function}({inside.strip()}){_more(measure, said)}"
        return f"{text} / {self.measure(measure.over)}" if measure.over is not None else text

    def group_test(self, test: GroupTest) -> str:
        said = {"measure", "operator"}
        if test.inner is not None:
            compared, said = self.inner(test.inner), said | {"inner"}
        elif test.other is not None:
            compared, said = self.value(test.other), said | {"other"}
        else:
            compared, said = _literals(test.operator, [_number(each) for each in test.to]), said | {"to"}
        return f"{self.measure(test.measure)} {test.operator} {compared}{_more(test, said)}"

    def window(self, window: Window) -> str:
        text = f"window {window.kind}"
        if window.along is not None:
            text += f" along {window.along}"
        if window.span is not None:
            text += f" span {scalar(window.span[0])} to {scalar(window.span[1])}"
        if window.steps != 1:
            text += f" steps {window.steps}"
        if window.within:
            text += f" within {', '.join(map(str, window.within))}"
        return text + _more(window, {"kind", "along", "span", "steps", "within"})

    def rank(self, rank: Rank) -> str:
        text = f"rank {'highest' if rank.descending else 'lowest'} {rank.limit}"
        if rank.by is not None:
            text += f" by {self.value(rank.by)}"
        if rank.within:
            text += f" within {', '.join(map(str, rank.within))}"
        if rank.skip:
            text += f" skip {rank.skip}"
        return text + _more(rank, {"descending", "limit", "by", "within", "skip"})

    def statistic(self, statistic: Statistic) -> str:
        more = _more(statistic, {"of", "by", "bins", "method"})
        text = f"statistic {statistic.kind}{more} of {self.values(statistic.of)}"
        by, plain = dict(statistic).get("by"), statistic.model_dump(include={"bins", "method"}, exclude_defaults=True)
        if by is not None:
            text += f" between {self.value(by)}"
        return text + "".join(f" {field} {value}" for field, value in plain.items())


def _literals(operator: str, told: Sequence[str]) -> str:
    if operator == "between" and len(told) == 2:
        return f"{told[0]} and {told[1]}"
    if len(told) == 1 and operator not in {"in", "not in", "between"}:
        return told[0]
    return f"({', '.join(told)})"


Body = dict[str, Any]

Read = TypeVar("Read")

_SPACE = re.compile(r"\s*")

_TOKEN = re.compile(
    r"`(?:[^`\\]|\\.)*`"
    r'|"(?:[^"\\]|\\.)*"'
    r"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)"
    r"|[^\W\d]\w*"
    r"|<=|>=|!=|[=<>()\[\],.+\-*/{]"
)

_SIGNS = frozenset({"=", "!=", "<", "<=", ">", ">="})

_WORD_OPERATORS = frozenset(get_args(Operator)) - _SIGNS - {"null", "not in"}

_PARTS = frozenset(get_args(Part))


def read_line(line: str) -> Plan:
    """The plan of a line.

    Raises:
        ValueError: where and why it is none.
    """
    reader = _PlanReader(line)
    body = reader.plan()
    if reader.peek():
        raise reader.fault("the plan should end before this")
    return Plan.model_validate(body, context={GIVEN: True})


class _PlanReader:
    def __init__(self, line: str) -> None:
        self.line = line
        self.place = 0
        self.tables: list[str] = []

    def fault(self, why: str) -> ValueError:
        rest = self.line[self.place :].strip()
        return ValueError(f"{why}, at “{rest[:30]}”." if rest else f"{why}, at the end.")

    def peek(self) -> str:
        """The next word or sign, or nothing at the end."""
        at = _SPACE.match(self.line, self.place).end()  # pyright: ignore[reportOptionalMemberAccess]
        found = _TOKEN.match(self.line, at)
        if found is None and at < len(self.line):
            raise self.fault("no part of a plan is written like this")
        return found.group() if found else ""

    def next(self) -> str:
        token = self.peek()
        self.place = self.line.index(token, self.place) + len(token) if token else self.place
        return token

    def takes(self, *words: str) -> bool:
        """Whether these words follow; they are passed then."""
        start = self.place
        for word in words:
            if self.next() != word:
                self.place = start
                return False
        return True

    def needs(self, word: str) -> None:
        if not self.takes(word):
            raise self.fault(f"“{word}” is expected here")

    def listed(self, read: Callable[[], Read], between: str = ",") -> list[Read]:
        found = [read()]
        while self.takes(between):
            found.append(read())
        return found

    def tried(self, read: Callable[[], Read]) -> Read | None:
        """What is read here, or None and nothing passed."""
        start = self.place
        try:
            return read()
        except ValueError:
            self.place = start
            return None

    def with_more(self, body: Body) -> Body:
        """What stands in braces behind a part belongs to it."""
        if self.peek() != "{":
            return body
        start = self.line.index("{", self.place)
        more, self.place = json.JSONDecoder().raw_decode(self.line, start)
        return body | more

    def name(self) -> str:
        token = self.next()
        if token.startswith("`"):
            return json.loads('"' + re.sub(r'(?<!\\)"', r"\"", token[1:-1]) + '"')
        if not token or not (token[0].isalpha() or token[0] == "_") or token.casefold() in KEYWORDS:
            raise self.fault("a name is expected here")
        return token

    def word(self) -> str:
        token = self.next()
        if not re.fullmatch(r"[^\W\d]\w*", token):
            raise self.fault("a word is expected here")
        return token

    def whole(self) -> int:
        token = self.next()
        if not token.isdigit():
            raise self.fault("a whole number is expected here")
        return int(token)

    def literal(self) -> Any:
        token = self.next()
        if token in {"true", "false"} or token[:1] in {'"', "-"} or token[:1].isdigit():
            return json.loads(token)
        raise self.fault("a literal is expected here")

    def plan(self) -> Body:
        self.needs("from")
        table = self.name()
        self.tables.append(table)
        body: Body = {"table": table}
        while (outer := self.takes("left", "join")) or self.takes("join"):
            body.setdefault("joins", []).append(self.join(outer))
        for word, field, read in self.clauses():
            if self.takes(*word.split()):
                body[field] = read()
        if (word := self.peek()) in COMBINED:
            body["combine"] = {"operation": self.next(), "other": self.inner()}
        for word, field, read in (("expect", "expects", self.word), ("chart", "chart", self.name)):
            if self.takes(word):
                body[field] = read()
        self.tables.pop()
        if "show" in body and body["show"][0]:
            body["distinct"] = True
        if "show" in body:
            body["show"] = body["show"][1]
        return self.with_more(body)

    def clauses(self) -> list[tuple[str, str, Callable[[], Any]]]:
        """The clauses in the order a line has them."""
        return [
            ("where", "where", lambda: self.listed(self.test, "and")),
            ("by", "by", lambda: self.listed(self.value)),
            ("take", "measures", lambda: self.listed(self.measure)),
            ("having", "having", lambda: self.listed(self.group_test, "and")),
            ("window", "window", self.window),
            ("over groups", "over_groups", self.word),
            ("show", "show", lambda: (self.takes("distinct"), self.listed(self.value))),
            ("rank", "rank", self.rank),
            ("order", "order", lambda: self.listed(self.sort)),
            ("statistic", "statistic", self.statistic),
            ("ask", "asks", self.word),
        ]

    def inner(self) -> Body:
        self.needs("[")
        body = self.plan()
        self.needs("]")
        return body

    def join(self, outer: bool) -> Body:
        right = self.name()
        self.needs("on")
        left, left_column = self.name(), (self.needs("."), self.name())[1]
        self.needs("=")
        if self.name() != right:
            raise self.fault("a join must end with a column of the table it joins")
        self.needs(".")
        body: Body = {"left": left, "left_column": left_column, "right": right, "right_column": self.name()}
        return body | ({"outer": True} if outer else {})

    def column(self) -> Body:
        if self.takes("."):
            return {"column": self.name()}
        first = self.name()
        return (
            {"table": first, "column": self.name()} if self.takes(".") else {"table": self.tables[-1], "column": first}
        )

    def value(self) -> Body:
        return self.with_more(self.plain_value())

    def plain_value(self) -> Body:
        if self.takes("("):
            left = self.operand()
            sign = self.next()
            body: Body = {"kind": "arithmetic", "operation": sign, "operands": [left, self.operand()]}
            self.needs(")")
            return body
        start = self.place
        kind = self.next()
        if not kind.startswith("`") and self.takes("("):
            return self.called(kind)
        self.place = start
        return self.column()

    def called(self, kind: str) -> Body:
        if kind == "number":
            body: Body = {"kind": "number", "number": self.literal()}
        elif self.peek() == ")":
            body = {"kind": kind}
        elif kind in _PARTS:
            body = {"kind": "part", "part": kind} | self.column()
        elif kind == "bucket":
            body = {"kind": kind} | self.column()
            self.needs(",")
            body["width"] = self.literal()
        else:
            first = self.listed(self.value)
            plain = len(first) == 1 and set(first[0]) <= {"table", "column"}
            body = {"kind": kind} | (first[0] if plain else {"operands": first})
        self.needs(")")
        return body

    def operand(self) -> Body:
        token = self.peek()
        if token[:1].isdigit() or token[:1] == "-":
            return {"kind": "number", "number": self.literal()}
        return self.value()

    def test(self) -> Body:
        negated = {"negated": True} if self.takes("not") else {}
        group = self.tried(self.group) if self.peek() == "(" else None
        return self.with_more((group or self.plain_test()) | negated)

    def group(self) -> Body:
        self.needs("(")
        only = next((word for word in ("any", "all") if self.takes(word)), None)
        tests = [self.test()]
        word = {"any": "or", "all": "and"}.get(only or "") or (self.peek() if self.peek() in {"and", "or"} else "")
        if not word:
            raise self.fault("“and” or “or” is expected here")
        while only is None and self.takes(word):
            tests.append(self.test())
        self.needs(")")
        return {"any_of" if word == "or" else "all_of": tests}

    def plain_test(self) -> Body:
        value = self.value()
        if self.takes("is", "null"):
            return {"value": value, "operator": "null"}
        operator = self.operator()
        return {"value": value, "operator": operator} | self.compared(operator)

    def operator(self) -> str:
        if self.takes("not", "in"):
            return "not in"
        token = self.next()
        if token not in _SIGNS and token not in _WORD_OPERATORS:
            raise self.fault("a comparison is expected here")
        return token

    def compared(self, operator: str) -> Body:
        """What a value is compared with: a plan's result, literals, or another value."""
        if self.peek() == "[":
            return {"inner": self.inner()}
        if operator == "between" and self.peek() != "(":
            low = self.literal()
            self.needs("and")
            return {"to": [low, self.literal()]}
        several = self.tried(self.several) if self.peek() == "(" else None
        if several is not None:
            return {"to": several}
        one = self.tried(lambda: [self.literal()])
        return {"to": one} if one is not None else {"other": self.value()}

    def several(self) -> list[Any]:
        self.needs("(")
        found = [] if self.peek() == ")" else self.listed(self.literal)
        self.needs(")")
        return found

    def measure(self) -> Body:
        body: Body = {"percent": True} if self.takes("percent") else {}
        function = self.next()
        if function not in AGGREGATES:
            raise self.fault(f"“{function}” is not a figure; choose among {', '.join(sorted(AGGREGATES))}")
        body["function"] = function
        self.needs("(")
        if self.peek() not in {")", "where", ",", "weighted"}:
            body |= {"table": self.name()} if function == "rows" else {"of": self.value()}
        if self.takes(","):
            body["at"] = self.literal()
        if self.takes("weighted", "by"):
            body["weight"] = self.value()
        if self.takes("where"):
            body["where"] = self.listed(self.test, "and")
        self.needs(")")
        body = self.with_more(body)
        return body | {"over": self.measure()} if self.takes("/") else body

    def group_test(self) -> Body:
        measure = self.measure()
        operator = self.operator()
        return self.with_more({"measure": measure, "operator": operator} | self.compared(operator))

    def sort(self) -> Body:
        at = self.whole()
        down = self.takes("down")
        if not down:
            self.takes("up")
        return {"at": at, "descending": down}

    def window(self) -> Body:
        body: Body = {"kind": self.word()}
        if self.takes("along"):
            body["along"] = self.whole()
        if self.takes("span"):
            low = self.literal()
            self.needs("to")
            body["span"] = [low, self.literal()]
        if self.takes("steps"):
            body["steps"] = self.whole()
        if self.takes("within"):
            body["within"] = self.listed(self.whole)
        return self.with_more(body)

    def rank(self) -> Body:
        body: Body = {"descending": not self.takes("lowest")}
        if body["descending"]:
            self.needs("highest")
        if self.peek().isdigit():
            body["limit"] = self.whole()
        if self.takes("by"):
            body["by"] = self.value()
        if self.takes("within"):
            body["within"] = self.listed(self.whole)
        if self.takes("skip"):
            body["skip"] = self.whole()
        return self.with_more(body)

    def statistic(self) -> Body:
        body = self.with_more({"kind": self.word()})
        self.needs("of")
        body["of"] = self.listed(self.value)
        if self.takes("between"):
            body["by"] = self.value()
        if self.takes("bins"):
            body["bins"] = self.whole()
        if self.takes("method"):
            body["method"] = self.word()
        return self.with_more(body)
