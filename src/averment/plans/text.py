"""The one-line text form of a plan, for people and models, beside its JSON.

``parse_text(to_text(plan))`` is the plan again, exactly. What the line has no words for stands in braces as JSON right
behind the part it belongs to, so a field that is added to the language can be written at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from averment.plans.plan import Plan, parse_plan

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
    from averment.plans.text_reader import read_line

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
    from averment.plans.text_reader import read_line

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
