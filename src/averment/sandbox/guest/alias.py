"""Absolute ``/in``, ``/out`` and ``/tmp`` for a jail whose root is the host's, where those folders cannot be.

String literals that begin with, or quote, one of the three are given the child's real folders before the code is
compiled. Names built at run time from pieces are not caught; ``IN`` and ``OUT`` are the portable way.
"""

from __future__ import annotations

import ast
import re

_NAMED = re.compile(r"""(^|['"])/(in|out|tmp)(?=$|/|['"])""")


class _Renamer(ast.NodeTransformer):
    def __init__(self, folders: dict[str, str]) -> None:
        self._folders = folders

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str):
            node.value = _NAMED.sub(lambda found: found[1] + self._folders[found[2]], node.value)
        return node


def rename_folders(tree: ast.Module, folders: dict[str, str]) -> ast.Module:
    """The same code with its literal folders replaced by those given for ``in``, ``out`` and ``tmp``."""
    return _Renamer(folders).visit(tree)
