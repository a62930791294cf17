"""``ask_run``: a question about a finished run, answered in its own sentences with where they stand, or not at all.

An investigation of a session is asked through the session, whose memory and history it has; every other run is asked
by its report. A question that an analysis' report does not answer and that is one for its tables is the analyst's to
read, as a change of the run's plan. Who answers is handed in, so that nothing here knows another agent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import Field

from averment.errors import InvalidRequest, InvestigationNotComplete, SessionExpired, SessionNotFound
from averment.language.intents.classify import SentenceVectors
from averment.language.sentences import split_sentences
from averment.language.stems import root, stem
from averment.language.tokens import content_words, split_words, tokenise
from averment.language.word_lists import patterns, word_lists
from averment.runtime.outcome import Run
from averment.tools.public import Caller, PublicTool
from averment.tools.tool import Annotations, Args, Output

HEAD = "Summary"
"""The section of what stands before the first heading."""

_MARKER = re.compile(r"\[\^\d+\]")
_CITED = re.compile(r"(.+?)((?:\s*\[\^\d+\])+)\s*", re.DOTALL)
_CITATION = re.compile(r"^(\[\^\d+\]):\s+(.+)$")
_LABEL = re.compile(r"^\*[^*]+:\*\s*")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|#~])")
_RULE_ROW = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")
_BULLET = re.compile(r"^\s*(?:[-*•]|[0-9]{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class ReportPassage:
    """A sentence, or a row, of a report: its words, its section, and where one finds it."""

    text: str
    section: str
    reference: str


def passages_of(report: str, kind: str, place: str) -> tuple[ReportPassage, ...]:
    """What a report says, in its order, each sentence once; ``place`` is the file it lies in."""
    kept: dict[str, ReportPassage] = {}
    for text, section, where in _cited(report) if kind == "research" else _told(report):
        kept.setdefault(text, ReportPassage(text, section, where or f"{place}#{section}"))
    return tuple(kept.values())


def _cited(report: str) -> Iterator[tuple[str, str, str]]:
    """The cited sentences of a research, each with the source and the place its citation names."""
    sections = list(_sections(report))
    places = {
        found.group(1): found.group(2)
        for _, lines in sections
        for line in lines
        if (found := _CITATION.match(line)) is not None
    }
    for section, lines in sections:
        for line in lines:
            citation = _CITATION.match(line)
            if citation is not None:
                yield _plain(_BULLET.sub("", line)), section, places[citation.group(1)]
                continue
            for found in _CITED.finditer(_LABEL.sub("", _BULLET.sub("", line))):
                words = [sentence.text for sentence in split_sentences(found.group(1).strip())]
                marks = _MARKER.findall(found.group(2))
                if words:
                    # What stands before a sentence without a mark of its own is not vouched for by the next one's.
                    where = "; ".join(places.get(mark, mark) for mark in marks)
                    yield _plain(f"{words[-1]} {' '.join(marks)}"), section, where


def _told(report: str) -> Iterator[tuple[str, str, str]]:
    for section, lines in _sections(report):
        headings: list[str] = []
        for line in lines:
            if line.startswith("|"):
                if _RULE_ROW.match(line):
                    continue
                cells = [_plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
                if not headings:
                    headings = cells
                    continue
                yield _row(headings, cells), section, ""
                continue
            headings = []
            if line.startswith("SQL: "):
                yield line, section, ""
                continue
            bare = _plain(_BULLET.sub("", line).strip("*"))
            if not bare or bare.endswith(":"):
                continue
            if _BULLET.match(line):
                yield bare, section, ""
                continue
            for sentence in split_sentences(bare):
                yield sentence.text, section, ""


def _row(headings: list[str], cells: list[str]) -> str:
    pairs = [(head, cell) for head, cell in zip(headings, cells, strict=False) if cell]
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in pairs)


def _sections(report: str) -> Iterator[tuple[str, list[str]]]:
    """The sections with their lines; pictures and the title say nothing, a query is one line."""
    section, lines, code = HEAD, list[str](), list[str]()
    fenced = False
    for line in report.splitlines():
        if line.startswith("```"):
            if fenced and code:
                lines.append(f"SQL: {' '.join(code)}")
            fenced, code = not fenced, []
        elif fenced:
            code.append(line.strip())
        elif line.startswith("## "):
            yield section, lines
            section, lines = _plain(line[3:]), []
        elif not line.startswith(("# ", "![", "Generated ", "Asked ")):
            lines.append(line.strip())  # An empty line too: it ends a table.
    yield section, lines


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", text).replace("**", "").strip()


MOST = 5
NEAR = 0.5
"""The least likeness by which a sentence answers a question that neither aims at a part nor names anything."""
KEPT_SHARE = 0.6
"""Sentences with less than this share of the best one's score say something else."""


@dataclass(frozen=True, slots=True)
class Aim:
    """A part of a report that questions are about: how they ask, and which sentences can answer."""

    asked: re.Pattern[str]
    sections: tuple[str, ...] = ()
    needed: re.Pattern[str] | None = None


def _aim(asked: str, *sections: str, needed: str | None = None) -> Aim:
    return Aim(
        re.compile(asked, re.IGNORECASE), sections, None if needed is None else re.compile(needed, re.IGNORECASE)
    )


_FOUND = (HEAD, "Executive summary", "Findings", "Explanations")
# The first that fits is the aim: from the narrow ones to the wide.
_AIMS = (
    _aim(r"\bruled?[ -]out\b|\breject\w*|\bnot the (?:cause|reason)\b", needed=r"ruled[_ ]out"),
    _aim(r"\bconfirm\w*", needed=r"\bconfirmed\b"),
    _aim(r"\bhypothes[ie]s\b|\bwhat (?:else )?(?:did you|was|were) (?:test|consider)\w*", needed=r"\bhypothesis\b"),
    _aim(r"\biteration \d+|\bround \d+", "Analysis Performed", needed=r"\biteration: \d+"),
    _aim(r"\bnext\b|\brecommend\w*|\bshould (?:we|i)\b|\bwhat (?:can|could) (?:we|i) do\b", "Recommended Next Steps"),
    _aim(r"\bunexplained\b|\bremain\w*|\bleft over\b", needed=r"\bunexplained\b"),
    _aim(r"\bdisagree\w*|\bconflict\w*|\bcontradict\w*|\bdiffer\b", "Where sources disagree"),
    _aim(
        r"\bhow (?:sure|certain|confident|reliable)\b|\bsignifican\w*|\bconfidence\b|\bby chance\b",
        needed=r"\bstandard errors?\b|\bchance\b|\bconfidence\b|\bp[- ]value\b|\binterval\b|\bcredibility\b",
    ),
    _aim(
        r"\bevidence\b|\bpro(?:ve|of|ven)\b|\bhow do you know\b|\bfrom\b.*\?|\bwh(?:ich|at) (?:sources?|files?|data)\b"
        r"|\bcit(?:e|ation)s?\b|\bquote",
        "Evidence",
        "Citations",
        "Sources",
    ),
    _aim(r"\bsql\b|\bquer(?:y|ies)\b|\bformula\b", "Method", "Analysis Performed", needed=r"^SQL: "),
    _aim(
        r"\bhow did you\b|\bmethod\b|\bcomput\w*|\bcalculat\w*|\bread (?:it|my question)\b|\bunderst\w+",
        "Method",
        *("How the question was interpreted", "How the question was read"),
        "Analysis Performed",
    ),
    _aim(r"\bwhen\b|\bsince when\b|\bwhich day\b", needed=r"\b\d{4}(?:-\d{2}-\d{2})?\b"),
    _aim(r"\bsummar\w+|\bwhat (?:else )?did you find\b|\bfindings?\b|\bin short\b|\bmain points?\b", *_FOUND),
    _aim(r"^(?:please )?(?:show|give|open|read)(?: me)? (?:the|that|this) (?:report|results?|answer)", *_FOUND),
    _aim(
        r"\bwhy\b|\bcaus\w+|\breasons?\b|\bexplain\w*|\bdr(?:ive|ove|ivers?)\b|\bbehind\b|\bresponsible\b",
        *_FOUND,
        needed=r"^(?!.*ruled[_ ]out)",
    ),
    _aim(r"\bhow (?:much|far|many)\b|\bby how\b|\boverall\b|\btotal\b|\bchanged?\b", HEAD, "Findings"),
)
_ABOUT = frozenset(stem(word) for word in word_lists("runs", "averment.agents.assistant")["about"].split())
_SILENT = frozenset({"Quality score"})
_PROOF = frozenset({"Evidence", "Citations", "Sources"})
"""Sections that answer where they are asked for, and say nothing of themselves."""


def answering(question: str, passages: Sequence[ReportPassage], vectors: SentenceVectors) -> tuple[ReportPassage, ...]:
    """The sentences that answer, in the report's order; none where it does not say."""
    usable = [passage for passage in passages if passage.section not in _SILENT]
    if not usable:
        return ()
    aim = next((aim for aim in _AIMS if aim.asked.search(question)), None)
    names = frozenset(root(name) for name in _stems(question) if name not in _ABOUT)
    candidates: list[tuple[ReportPassage, bool]] = []
    for passage in usable:
        aimed = aim is not None and _aimed(aim, passage)
        if names:
            held = {root(name) for name in _stems(passage.text)} & names
            fits = len(held) == len(names) and (aimed or passage.section not in _PROOF)
        else:
            fits = aimed if aim is not None else passage.section not in _PROOF
        if fits:
            candidates.append((passage, aimed))
    similarity = _similarity(question, [passage for passage, _ in candidates], vectors)
    scored = [
        (max(alike, 0.0) + 0.6 * aimed + 0.3 * bool(names), passage)
        for alike, (passage, aimed) in zip(similarity, candidates, strict=True)
        if names or aimed or alike >= NEAR
    ]
    if not scored:
        return ()
    best = max(score for score, _ in scored)
    ranked = sorted(scored, key=lambda one: -one[0])
    chosen = _without_echoes([passage for score, passage in ranked if score >= KEPT_SHARE * best])[:MOST]
    return tuple(passage for passage in usable if passage in chosen)


def _aimed(aim: Aim, passage: ReportPassage) -> bool:
    if aim.sections and passage.section not in aim.sections:
        return False
    return aim.needed is None or bool(aim.needed.search(passage.text))


def _similarity(question: str, passages: Sequence[ReportPassage], vectors: SentenceVectors) -> list[float]:
    import numpy as np

    if not passages:
        return []
    found = vectors.embed([question, *(passage.text for passage in passages)])
    return [float(share) for share in np.asarray(found[1:]) @ np.asarray(found[0])]


def _without_echoes(passages: Sequence[ReportPassage]) -> list[ReportPassage]:
    """The sentences without those that say what better ones said: a report repeats itself."""
    kept: list[ReportPassage] = []
    said: set[str] = set()
    for passage in passages:
        words = set(re.findall(r"\w+", passage.text.casefold()))
        if len(words & said) < 0.8 * len(words) or not kept:
            kept.append(passage)
            said |= words
    return kept


def _stems(text: str) -> set[str]:
    found: set[str] = set()
    for token in tokenise(text):
        if token.kind == "number":
            found.add(token.normal.replace(",", ""))
        elif token.kind == "word" and not token.is_stop:
            found.add(token.stem)
            found |= {word.stem for word in split_words(token.text) if not word.is_stop}
    return found


MOST_WORDS = 6
"""A message that leaves out what was asked before is no longer than this."""

_PATTERNS = patterns("leaning", "averment.agents.assistant")
_OPENING = re.compile(_PATTERNS["opening"], re.IGNORECASE)
_PART = re.compile(_PATTERNS["part"], re.IGNORECASE)
_OF_ROWS = re.compile(_PATTERNS["of_rows"], re.IGNORECASE)
_ASKS = re.compile(r"\b(?:what|which|who|why|when|where|how|is|are|was|were|does|do|did|can|could|will)\b", re.I)
_NOTHING = re.compile(r"^(?:that|this|it|them|why|ok(?:ay)?)?[\s?.!]*$", re.IGNORECASE)


def leans_on(message: str) -> bool:
    """Whether a message gives one part of a question anew and leaves out the rest."""
    said = message.strip()
    if _OF_ROWS.match(said) and len(said.split()) <= MOST_WORDS:
        return True
    opened = _OPENING.match(said)
    rest = said[opened.end() :] if opened else said
    if _NOTHING.match(rest) or len(rest.split()) > MOST_WORDS or _ASKS.search(rest):
        return False
    return opened is not None or bool(_PART.match(rest))


def names_column(message: str, columns: Sequence[str]) -> bool:
    """Whether a message speaks of a column of the tables that were asked."""
    said = {word.stem for word in content_words(message)}
    return any({word.stem for word in split_words(name)} <= said for name in columns)


FINISHED = frozenset({"completed", "partial_success"})
ASKED_BACK = frozenset({"abstained", "clarification_needed"})


class KeptRun(Protocol):
    """A run's own row, as far as it is read."""

    @property
    def kind(self) -> str:
        """analysis, drilldown or research."""
        ...

    @property
    def request(self) -> Any:
        """What was asked for."""
        ...


class RunArchive(Protocol):
    """What is needed of the workbench: its runs, and the sessions that some of them belong to."""

    @property
    def sessions(self) -> Any:
        """The driller's sessions, of which ``chat`` is asked."""
        ...

    def show(self, run_id: str) -> Run:
        """A run as it stands."""
        ...

    @property
    def runs(self) -> Any:
        """The runs, of which ``row`` gives a ``KeptRun``."""
        ...


class AskRun(Args):
    """A question about something that has been found out."""

    question: str = Field(min_length=1, max_length=2_000, description="The question, in plain words.")
    run_id: str | None = Field(default=None, min_length=4, description="The run's id, or its beginning.")
    session_id: str | None = Field(default=None, description="A drill-down session, in place of a run.")


class RunAnswer(Output):
    """The run's own sentences, and where each stands; ``answered`` is false where it has none.

    ``for_tables`` says that the question is then one for the tables of the run, which the analyst can be asked.
    """

    run_id: str | None
    kind: str
    answered: bool
    answer: str
    references: list[str]
    for_tables: bool = False


def ask_tool(archive: RunArchive, vectors: Callable[[], SentenceVectors]) -> PublicTool[Any, Any]:
    """The tool over one workbench."""

    def ask(args: AskRun, caller: Caller) -> RunAnswer:
        if (args.run_id is None) == (args.session_id is None):
            raise InvalidRequest("Name exactly one run or one session.")
        if args.session_id is not None:
            return _of_session(archive, args.session_id, args.question, None)
        run = archive.show(str(args.run_id))
        row = archive.runs.row(run.id)
        for_tables = row.kind == "analysis" and _is_for_tables(archive, run, args.question)
        if run.status in ASKED_BACK and for_tables:
            return RunAnswer(run_id=run.id, kind=row.kind, answered=False, answer="", references=[], for_tables=True)
        if run.status not in FINISHED:
            raise InvestigationNotComplete(
                f"The run {run.id[:8]} is {run.status}, so it has no report to ask about.",
                hint="Ask when it is completed.",
            )
        session_id = dict(row.request).get("session_id")
        if session_id:
            try:
                return _of_session(archive, str(session_id), args.question, run.id)
            except (SessionExpired, SessionNotFound):
                pass  # The session's time is over; the run and its report stay.
        chosen = answering(args.question, passages_of(run.report or "", row.kind, _place(run)), vectors())
        words = "\n".join(passage.text for passage in chosen) or f"The report of run {run.id[:8]} does not say that."
        places = list(dict.fromkeys(passage.reference for passage in chosen))
        return RunAnswer(
            run_id=run.id,
            kind=row.kind,
            answered=bool(chosen),
            answer=words,
            references=places,
            for_tables=for_tables and not chosen,
        )

    return PublicTool(
        name="ask_run",
        title="Ask about a run",
        description=(
            "Answer a question about a finished analysis, investigation or research in the words of its report, with "
            "references. A question to a session is kept in the session's history."
        ),
        args=AskRun,
        output=RunAnswer,
        run=ask,
        annotations=Annotations(read_only=False, destructive=False, idempotent=False, cost_seconds=5.0),
    )


def _is_for_tables(archive: RunArchive, run: Run, question: str) -> bool:
    """Whether a question about an analysis is one for its tables: it leans on the one before, or names a column."""
    catalog = json.loads(str(dict(archive.runs.row(run.id).request).get("catalog") or "{}"))
    columns = [
        str(column["name"])
        for source in catalog.get("sources", ())
        for table in source["tables"]
        for column in table["columns"]
    ]
    return leans_on(question) or names_column(question, columns)


def _place(run: Run) -> str:
    """The file a run's report lies in."""
    refs = (artifact.content_ref for artifact in run.artifacts)
    return next((ref for ref in refs if ref.endswith("report.md")), f"run {run.id}")


def _of_session(archive: RunArchive, session_id: str, question: str, run_id: str | None) -> RunAnswer:
    """What the session answers; it raises where its investigation is not complete."""
    told = archive.sessions.chat(session_id, question)
    references = [f"session {session_id[:8]}: {name}" for name in told.artifacts_referenced]
    return RunAnswer(
        run_id=run_id, kind="drilldown", answered=bool(references), answer=told.content, references=references
    )
