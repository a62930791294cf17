"""Words of a question connected to names and values: columns, tables, and what stands in their cells.

``lexicon`` holds abbreviations and synonyms, ``affinity`` says how near two words are, ``links`` finds names,
``values`` finds cell values among very many, ``places`` knows that AZ is Arizona.
"""

from __future__ import annotations

from averment.language.linking.affinity import How
from averment.language.linking.links import Link, Linker, Target, link, select_links
from averment.language.linking.values import ValueIndex, ValueMatch

__all__ = ["How", "Link", "Linker", "Target", "ValueIndex", "ValueMatch", "link", "select_links"]
