"""Reads the one-line text form of a plan: a descent over its words, each record checked as if it came as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar, get_args

from averment.plans.plan import GIVEN, Operator, Part, Plan
from averment.plans.registry import AGGREGATES
from averment.plans.text import COMBINED, KEYWORDS

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
