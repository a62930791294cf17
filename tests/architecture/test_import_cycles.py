"""No module depends on itself, not even by imports that only a type checker follows."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from shape import SOURCE, graph, modules


def cycles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """The groups of modules that all depend on each other, by Tarjan's way without recursion."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for root in sorted(edges):
        if root in number:
            continue
        path = [(root, iter(sorted(edges[root])))]
        number[root] = low[root] = len(number)
        stack.append(root)
        while path:
            name, rest = path[-1]
            following = next(rest, None)
            if following is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[name])
                if low[name] == number[name]:
                    group = stack[stack.index(name) :]
                    del stack[stack.index(name) :]
                    if len(group) > 1:
                        found.append(sorted(group))
            elif following not in number:
                number[following] = low[following] = len(number)
                stack.append(following)
                path.append((following, iter(sorted(edges[following]))))
            elif following in stack:
                low[name] = min(low[name], number[following])
    return sorted(found)


def test_no_modules_depend_on_each_other_even_by_types_alone() -> None:
    edges = graph(modules(SOURCE))
    assert len(edges) > 200
    assert cycles(edges) == []


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set[str]()}, []),
        ({"a": {"b"}, "b": {"a"}, "c": {"a"}}, [["a", "b"]]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}}, [["a", "b", "c"], ["d", "e"]]),
    ],
)
def test_a_cycle_is_found(edges: dict[str, set[str]], expected: list[list[str]]) -> None:
    assert cycles(edges) == expected


def test_an_import_for_the_type_checker_counts_and_one_in_a_function_does_not(tmp_path: Path) -> None:
    package = tmp_path / "p"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.b import B\n")
    (package / "b.py").write_text("from .a import A\nclass B: ...\n")
    (package / "c.py").write_text("def f():\n    from p import d\n")
    (package / "d.py").write_text("from p import c\n")
    assert cycles(graph(modules(tmp_path))) == [["p.a", "p.b"]]
