"""A whole message as acts: sentences and clauses cut, corrections and conditions seen, each clause read.

A clause is cut off only where what follows is an act of its own: "add buy milk and call mum" keeps its errands
together, "add buy milk and delete task 3" does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from averment.agents.assistant.reading.act import Act, ActCondition, State
from averment.agents.assistant.reading.commands import DONE, LISTS, Names, read_again, read_command
from averment.agents.assistant.reading.questions import ASKS, read_question
from averment.agents.assistant.reading.task_splitting import VERBS
from averment.agents.assistant.reading.titles import asks_for_tasks, new_tasks
from averment.agents.assistant.reading.when import take_when, value_of
from averment.agents.assistant.reading.words import EMOJI, Writing, bare, put_right, shapes, target_of, without_signs
from averment.agents.assistant.reading.yes_no import verdict_of
from averment.language.word_lists import patterns, word_lists

_OF = {
    form: verb
    for verb, *forms in (
        line.split() for line in word_lists("deeds", "averment.agents.assistant")["forms"].splitlines()
    )
    for form in forms
}
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


_T = r"(?P<target>.+?)"
_SOON = (
    "(?: (?:yesterday|today|tonight|last night|this morning|just now|earlier|a (?:minute|moment|while) "
    "ago|now|already|finally|at last))*"
)


_NOT_DONE = shapes(
    rf"{_T}(?: is| are| was| were)?(?:n't|n\u2019t| not|'s not|'re not)(?: actually| really| all)? "
    rf"(?:yet )?{DONE}(?: yet| after all| at all)?",
    rf"{_T}(?: is|'s| are) still (?:open|pending|to do|not {DONE}|undone|unfinished)",
    rf"(?P<target>it|that|this)?\s*not (?:yet )?{DONE}(?: yet| after all)?",
)
_STATEMENTS_PATTERNS = patterns("reading.statements", "averment.agents.assistant")
_DID_NOT = re.compile(_STATEMENTS_PATTERNS["did_not"], re.IGNORECASE)
_NOT_NEEDED = shapes(
    rf"(?:there(?:'s| is) )?no (?:longer (?:any )?|more )?need to {_T} (?:any ?more|any longer|now|after all)",
    rf"(?:i|we) (?:do not|don't) (?:need|have) to {_T} (?:any ?more|any longer|now|after all)",
    rf"(?:(?:i|we) )?no longer (?:need|have) to {_T}",
    rf"(?:i |we )?(?:do not|don't|no longer) (?:need|want)(?: to (?:do|keep|have))? {_T} (?:any ?more|"
    rf"any longer|(?:on|in) (?:my|the) {LISTS}|after all)",
    rf"(?:i|we) no longer (?:need|want)(?: to (?:do|keep))? {_T}",
    rf"{_T} (?:is|are) (?:no longer|not|n't) (?:needed|necessary|relevant|required)(?: any ?more| any longer)?",
    rf"(?:i (?:want|wanted|need)|i'd like|i meant) {_T} (?:gone|deleted|removed|to go|(?:off|out of) "
    rf"(?:my|the) {LISTS})",
    rf"{_T} can go(?: now| away)?",
    r"(?:forget|never ?mind) (?P<target>(?:the|that|my) .+|(?:task|item|number) .+|#\d+)",
)
_DONE_WITH = shapes(
    rf"(?:i'm |i am |we're |we are |i |we )?(?:all |already |finally )?(?:done|finished|through) with {_T}{_SOON}",
    rf"{_T}\s*[:\u2013-]\s*{DONE}",
    rf"{_T}(?: (?:is|are|was|were|has been|have been|got)|'s(?: been)?|'re) (?:now |already |all |both "
    rf"|finally |as good as )*{DONE}(?: and dusted| as well| too)?{_SOON}",
    rf"{_T}\s*{DONE}(?: and dusted)?",
    rf"(?:all )?{DONE}(?: (?:and dusted|that|it|this|that one))?",
    "(?:i (?:already |just )?|i've (?:already |just )?|we )?(?:did|done|took care of|handled|sorted|"
    "dealt with|completed|finished)(?: with)? (?P<target>it|that|this|them|both|all(?: of (?:it|"
    "them))?|"
    r"everything|#?\d+|(?:task|number) #?\w+|the (?:first|second|third|fourth|fifth|last)(?: one| task)?)",
)
_URGENT = shapes(
    rf"{_T} (?:is|are|'s|was|has become|should be|must be) (?:now |very |really |super |pretty |so "
    ")*(?P<value>urgent|important|high[ -]priority|top[ -]priority|low[ -]priority)",
    rf"{_T} (?:is|are|'s) (?:now )?(?:due|scheduled|planned)(?: for| on| by| at)? (?P<value>.+)",
)
_SHOULD = shapes(rf"{_T} should (?:say|read|be called|be) (?P<new>.+)")
_TOLD = re.compile(
    r"^(?P<who>(?:i|we)(?:'ve| have|'d| had)?\s+)?(?:(?P<soon>already|just|finally|now|also|only|"
    rf"recently|actually)\s+)*(?P<verb>[a-z]+)\b\s*(?P<rest>.*?){_SOON}[.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_PASSIVE = re.compile(
    rf"^{_T}(?: (?:is|are|was|were|has been|have been|got)|'s(?: been)?|'re|'ve been) (?:now |already |"
    rf"all |both |finally )*(?P<verb>[a-z]+){_SOON}[.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_WAS_DOING = re.compile(
    r"^(?:(?:i|we)(?:'ve| have|'m| am)?\s+)?(?:already |just |finally )*(?:finished|done|"
    rf"completed)\s+(?P<doing>\w+ing)\s+(?P<rest>.+?){_SOON}[.!]*$",
    re.IGNORECASE,
)


def read_statement(said: str, writing: Writing, now: datetime) -> Act | None:
    """The act that a clause tells of; None where it tells of none."""
    for shape in _NOT_DONE:
        if (found := shape.match(said)) is not None:
            return Act("reopen", target_of(found, writing), told=True)
    for shape in _NOT_NEEDED:
        if (found := shape.match(said)) is not None:
            return Act("delete", target_of(found, writing), told=True)
    found = _DID_NOT.match(said)
    if found is not None:
        words = f"{found.groupdict().get('subject') or ''} {found.group('target')}"
        return Act("complete", writing.whole(words).strip(), negated=True, told=True)
    for shape in _DONE_WITH:
        if (found := shape.match(said)) is not None and not re.search(r"\b(?:not|never|n't)\b", said, re.IGNORECASE):
            return Act("complete", target_of(found, writing), told=True)
    for shape in _URGENT:
        if (found := shape.match(said)) is not None and value_of(found.group("value"), now):
            return Act("update", target_of(found, writing), wanted={"value": found.group("value")}, told=True)
    for shape in _SHOULD:
        if (found := shape.match(said)) is not None:
            return Act(
                "update",
                target_of(found, writing),
                fields={"title": writing.whole(found.group("new")).strip().removesuffix(".")},
                told=True,
            )
    return _deed(said, writing)


def _deed(said: str, writing: Writing) -> Act | None:
    """A deed in the past, with the words of deed and thing as what names its task."""
    if re.search(r"\b(?:not|never|nobody|nothing|if|when|would|should|could|will)\b|n't\b", said, re.IGNORECASE):
        return None
    found = _WAS_DOING.match(said)
    if found is not None:
        return _did(f"{found.group('doing')} {found.group('rest')}", writing)
    found = _TOLD.match(said)
    if found is not None and (verb := verb_of(found.group("verb"))) is not None:
        spoken = bool(found.group("who") or found.group("soon"))
        if found.group("rest").strip() and (spoken or not commands_too(found.group("verb"))):
            return _did(f"{verb} {found.group('rest')}", writing)
    found = _PASSIVE.match(said)
    if found is not None and (verb := verb_of(found.group("verb"))) is not None:
        return _did(f"{verb} {found.group('target')}", writing)
    return None


def _did(words: str, writing: Writing) -> Act:
    return Act("complete", writing.whole(words).strip(), told=True, wanted={"deed": "yes"})


_THERE: tuple[tuple[re.Pattern[str], State], ...] = (
    (
        re.compile(
            r"^(?:there(?:'s| is)|i(?:'ve got| have)|i see|you (?:have|see|find))(?: (?:still|yet))? (?P<no>nothing)"
            r"(?: (?:on|in) (?:my|the|it)(?: \w+)?(?: list)?)? (?:about|for|with|on) (?P<target>.+?)"
            r"(?: (?:on|in) (?:my|the|it)(?: \w+)?(?: list)?| already| yet| there)*$",
            re.IGNORECASE,
        ),
        "there",
    ),
    (
        re.compile(
            r"^(?:i|we) (?P<no>don't|do not) (?:already |yet )?have (?:an? |any |some |the )?"
            r"(?:(?:task|todo|item|reminder|anything|something)s? (?:about|for|with|named|called|to) )?(?P<target>.+?)"
            r"(?: (?:already |yet )?(?:on|in) (?:my|the|it)(?: \w+)?(?: list)?| already| yet| there)?$",
            re.IGNORECASE,
        ),
        "there",
    ),
    (re.compile(
        "^(?:there(?:'s| is| are| is already)|i (?:already )?have|i've got|we have|you (?:have|see|find)|"
        r"my list (?:has|contains|holds))(?P<no>n't| not| no|)\s*(?:already |still )?(?:an? |any |some |"
        "the )?(?:(?:task|todo|item|reminder|entry|anything|something)s? (?:about|for|with|named|called|"
        r"containing|to) )?(?P<target>.+?)(?: (?:already )?(?:on|in) (?:my|the|it)(?: \w+)?(?: list)?| "
        "already| there)?$", re.IGNORECASE), "there"),
    (re.compile(
        "^(?P<target>.+?)(?:'s| is| are|'re)(?P<no>n't| not|)(?: already| still| yet)* (?:there|(?:on|in|"
        rf"among) (?:it|there|(?:my|the) {LISTS}))(?: already| yet)?$", re.IGNORECASE), "there"),
    (re.compile(
        rf"^(?P<target>.+?)(?:'s| is| are|'re)(?P<no>n't| not|)(?: already| still| yet)* {DONE}(?: yet| "
        "already)?$", re.IGNORECASE), "done"),
    (re.compile(
        "^(?P<target>.+?)(?:'s| is| are|'re)(?P<no>n't| not|)(?: already| still| yet)* (?:open|pending|"
        "unfinished|to do)$", re.IGNORECASE), "open"),
    (re.compile(r"^(?P<target>it|that)(?:'s| is)(?P<no>n't| not|)(?: already| still| yet)*$", re.IGNORECASE), "there"),
)  # fmt: skip


def condition_of(words: str, word: str, writing: Writing) -> ActCondition:
    """The condition that stands after "if", "unless" and their like; without words where the list cannot tell."""
    plain = bare(words).rstrip("?.! ")
    if word in {"if", "unless", "in case", "provided", "only if", "but only if"}:
        for shape, state in _THERE:
            found = shape.match(plain)
            if found is not None:
                holds = not (found.group("no") or "").strip()
                named = writing.whole(found.group("target")).strip()
                return ActCondition(named, state, holds != (word == "unless"))
    return ActCondition(None)


LONGEST = 240
"""A clause of more characters asks for nothing but tasks to be added."""

_PATTERNS = patterns("reading.message", "averment.agents.assistant")
_SENTENCE = re.compile(_PATTERNS["sentence"])
_JOINT = re.compile(_PATTERNS["joint"], re.IGNORECASE)
_NEGATED = re.compile(_PATTERNS["negated"], re.IGNORECASE)
_NOT_TOLD = re.compile(_PATTERNS["not_told"], re.IGNORECASE)
_LEFT_OUT = re.compile(_PATTERNS["left_out"], re.IGNORECASE)
_FORGET = re.compile(_PATTERNS["forget"], re.IGNORECASE)
_IF = re.compile(_PATTERNS["if"], re.IGNORECASE | re.DOTALL)
_IF_TIGHT = re.compile(_PATTERNS["if_tight"], re.IGNORECASE | re.DOTALL)
_IF_BEHIND = re.compile(
    r"^(?P<act>.+?),?\s+(?P<word>if|unless|in case|once|as soon as|only if|but only if)\s+(?P<when>.+?)[.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_ELSE = re.compile(_PATTERNS["else"], re.IGNORECASE)
_PLACES = re.compile(_PATTERNS["places"], re.IGNORECASE)
_REMIND_AT = re.compile(_PATTERNS["remind_at"], re.IGNORECASE)
_MEANT = re.compile(_PATTERNS["meant"], re.IGNORECASE)
_SORRY = re.compile(_PATTERNS["sorry"], re.IGNORECASE)
_NOT_BUT = re.compile(_PATTERNS["not_but"], re.IGNORECASE)
_BUT_NOT = re.compile(_PATTERNS["but_not"], re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MessageReading:
    """A message as acts.

    ``meant`` holds the words of a correction, ``replaced`` the words they stand for. ``takes_back`` says that the
    message begins by rejecting what was just done or asked.
    """

    said: str
    acts: tuple[Act, ...] = ()
    meant: str | None = None
    replaced: str | None = None
    takes_back: bool = False
    is_question: bool = False


def read_message(text: str, now: datetime, names: Names) -> MessageReading:
    """What a message asks for; ``names`` tells whether words name one of the user's tasks."""
    writing = put_right(text)
    reader = _MessageReader(writing, now, names)
    said = bare(writing.text)
    question = said.endswith("?") or bool(ASKS.match(said))
    lines = [line for line in writing.text.splitlines() if line.strip()]
    if len(lines) > 1:
        return MessageReading(said, reader.lines(lines), is_question=False)
    corrected = reader.correction(said)
    if corrected is not None:
        return replace(corrected, is_question=question)
    return MessageReading(said, reader.acts(said), is_question=question)


class _MessageReader:
    def __init__(self, writing: Writing, now: datetime, names: Names) -> None:
        self._writing = writing
        self._now = now
        self._names = names

    def lines(self, lines: list[str]) -> tuple[Act, ...]:
        """Several lines: a head with its list, or an act in each; a list without a head is offered as tasks."""
        head = asks_for_tasks(bare(lines[0]))
        marked = [bool(re.match(r"\s*(?:[-*\u2022]|\(?\d{1,2}[.)])\s*\S", line)) for line in lines]
        if head is not None and (all(marked[1:]) or lines[0].rstrip().endswith(":")):
            text = "\n".join([bare(lines[0]), *lines[1:]])
            return self._added(text, asks_for_tasks(text))
        if all(marked):
            act = self._added("\n".join(lines), None)
            return tuple(replace(one, sure=False) for one in act)
        acts: list[Act] = []
        for line in lines:
            found = self.acts(bare(line))
            if not found:
                return ()
            acts += found
        return tuple(acts)

    def correction(self, said: str) -> MessageReading | None:
        """A message that puts right what was said or done before."""
        verdict = verdict_of(said)
        if verdict.verdict is not None and not verdict.rest:
            return None
        rest = said
        sorry = _SORRY.match(said)
        if sorry is not None:
            rest = said[sorry.end() :].strip()
        back = sorry is not None and bool(
            re.search(
                r"\b(?:no|nope|oops|wait|hang on|hold on|scrap|scratch|wrong|never|forget|mistake|bad|sorry)\b",
                sorry.group(),
                re.I,
            )
        )
        but = _NOT_BUT.match(rest)
        if but is None and (other := _BUT_NOT.match(rest)) is not None and (back or other.group("it")):
            but = other
        if but is not None and not any(act.verb in {"reopen", "undo"} for act in self.acts(rest)):
            return MessageReading(
                said,
                meant=self._writing.whole(but.group("new")),
                replaced=self._writing.whole(but.group("old")),
                takes_back=True,
            )
        meant = _MEANT.match(said)
        if meant is not None and said[meant.end() :].strip():
            whole = self.acts(rest)
            if len(whole) == 1 and whole[0].verb == "delete" and whole[0].told:
                return MessageReading(said, whole, takes_back=back)
            rest = said[meant.end() :].strip()
            acts = self.acts(rest)
            return MessageReading(said, acts, meant=self._writing.whole(rest).rstrip(".!"), takes_back=True)
        if sorry is None or not rest:
            return MessageReading(said, takes_back=back) if back and not rest else None
        acts = self.acts(rest)
        return MessageReading(
            said, acts, meant=self._writing.whole(rest).rstrip(".!") if back else None, takes_back=back
        )

    def acts(self, said: str) -> tuple[Act, ...]:
        """The acts of one line."""
        if not said or len(said) > 2_000:
            return ()
        conditional = self._conditional(said)
        if conditional is not None:
            return conditional
        sentences = [part for part in _SENTENCE.split(said) if part.strip()]
        if len(sentences) > 1:
            return self._sentences(sentences)
        return self._clauses(bare(said))

    def _sentences(self, sentences: list[str]) -> tuple[Act, ...]:
        found = [(bare(sentence), self.acts(bare(sentence))) for sentence in sentences]
        telling = [
            (said, acts)
            for said, acts in found
            if acts or (said and verdict_of(said).verdict is None and len(said.split()) > 2)
        ]
        if any(not acts for _, acts in telling):
            # A sentence that was not understood may change what the others mean: "Delete it. Just kidding."
            return tuple(replace(act, sure=False) for _, acts in telling for act in acts)
        return tuple(act for _, acts in telling for act in acts)

    def _conditional(self, said: str) -> tuple[Act, ...] | None:
        found = _IF.match(said) or _IF_TIGHT.match(said)
        if (
            found is None
            and (behind := _IF_BEHIND.match(said)) is not None
            and not asks_title(behind.group("act"), behind.group("when"))
        ):
            found = behind
        if found is None:
            return None
        branches = _ELSE.split(found.group("act"), maxsplit=1)
        acts = self._clauses(bare(branches[0]))
        if not acts:
            return None
        word, when = found.group("word").casefold(), found.group("when")
        if word == "should":
            word, when = "if", re.sub(r"^there be\b", "there is", when, flags=re.IGNORECASE)
        condition = condition_of(when, word, self._writing)
        if condition.words is None and all(act.verb == "add" for act in acts):
            return None  # What is to be remembered may hang on anything: "call John if he doesn't reply".
        subject = condition.words or ""
        done = [replace(self._pointed(act, subject), condition=condition) for act in acts]
        if len(branches) > 1:
            other = self._clauses(bare(branches[1]))
            turned = replace(condition, holds=not condition.holds)
            done += [replace(self._pointed(act, subject), condition=turned) for act in other]
        return tuple(done)

    def _pointed(self, act: Act, subject: str) -> Act:
        """An act on "it" is on what its condition speaks of; a condition on "it" is on what the act names."""
        if subject and re.fullmatch(r"it|that|them|him|her|that one|the task|this", act.target, re.IGNORECASE):
            return replace(act, target=subject)
        return act

    def _clauses(self, said: str) -> tuple[Act, ...]:
        """One sentence, cut where another act begins."""
        whole = self._clause(said)
        if whole is not None and whole.verb in {"complete", "delete", "reopen"} and _PLACES.match(whole.target):
            return (whole,)
        cuts = list(_JOINT.finditer(said))
        for cut in cuts:
            first, rest = said[: cut.start()].strip(), bare(said[cut.end() :])
            if not first or not rest or not self._begins(rest):
                continue
            before = self._clause(first)
            if before is None or (before.verb == "add" and not before.tasks):
                continue
            after = self._clauses(rest)
            if not after or any(
                act.verb != "add" and act.verb not in {"list", "undo", "find"} and not self._aims(act) for act in after
            ):
                continue
            if before.verb == "undo" and after[0].verb == "undo":
                return after
            return (before, *after)
        return () if whole is None else (whole,)

    def _begins(self, rest: str) -> bool:
        """Whether the words begin an act of the assistant's, and not the next errand of a title."""
        if _NEGATED.match(rest) and not _FORGET.match(rest):
            # "Mark all done but not the passport": what is left out of the act before, no act of its own.
            return _LEFT_OUT.match(rest) is None
        head = asks_for_tasks(rest)
        if head is not None and not head.groupdict().get("need"):
            return bool(re.match(r"(?:add|remind|create|new|put|note|don't|task|todo|also)\b", rest, re.IGNORECASE))
        if read_question(rest, self._writing, self._now) is not None and re.match(
            r"(?:show|list|display|what|how|tell|give|read|let)\b", rest, re.I
        ):
            return True
        return (
            read_command(rest, self._writing, self._now, self._names) is not None
            or read_statement(rest, self._writing, self._now) is not None
        )

    def _aims(self, act: Act) -> bool:
        """Whether an act after the first is on tasks: it names one, a place, or points back."""
        if act.negated:
            return True
        if act.told and act.wanted.get("deed"):
            return self._names(act.target)
        plain = act.target.casefold()
        if re.search(
            r"\b(?:tasks?|todos?|items?|one|ones|all|everything|list|first|second|third|last|it|that|"
            r"them|this|both|reminder)\b|#?\d",
            plain,
        ):
            return True
        return self._names(act.target)

    def _clause(self, said: str) -> Act | None:
        """One clause."""
        told = read_statement(said, self._writing, self._now) if _NOT_TOLD.match(said) else None
        if told is not None and told.verb in {"reopen", "delete"}:
            return told
        denied = _NEGATED.match(said)
        if denied is not None and not _FORGET.match(said):
            inner = self._positive(bare(said[denied.end() :]))
            return replace(inner or Act("complete", said), negated=True)
        return self._positive(said)

    def _positive(self, said: str) -> Act | None:
        early = read_again(said, self._now) or self._early(said) or self._retimed(said)
        if early is not None:
            return early
        plain = without_signs(said)
        asks = plain.endswith("?") or bool(ASKS.match(plain))
        if len(plain) <= LONGEST:
            command = (
                None
                if asks and not re.match(r"(?:mark|delete|remove|add|complete|undo|rename|change|move)\b", plain, re.I)
                else read_command(plain.rstrip("?").rstrip(), self._writing, self._now, self._names)
            )
            if command is not None and command.verb == "undo":
                return command
            question = read_question(plain, self._writing, self._now)
            if question is not None and (question.verb == "list" or asks or command is None):
                return question
            if command is not None and not self._adds(said, command):
                return command
        opened = EMOJI.match(said)
        asking = said[opened.end() :].strip() if opened else said
        head = asks_for_tasks(asking)
        if head is not None:
            added = self._added(asking, head)
            return added[0] if added else None
        if asks or len(plain) > LONGEST:
            return None
        return read_statement(said, self._writing, self._now)

    def _retimed(self, said: str) -> Act | None:
        """A reminder that names a time and nothing else: when what was spoken of is due."""
        found = _REMIND_AT.match(said)
        if found is None or not value_of(found.group("value"), self._now):
            return None
        return Act("update", "it", wanted={"value": found.group("value")})

    def _adds(self, said: str, command: Act) -> bool:
        """Whether what looks like a command is a task to be added: "set a reminder for …", "make a note to …"."""
        head = asks_for_tasks(said)
        if head is None or command.verb in {"complete", "reopen"} or "description" in command.fields:
            return False
        return bool(
            head.groupdict().get("remind") or re.search(r"\b(?:task|todo|reminder|note|item)s?\b", head.group(), re.I)
        ) and not re.match(r"(?:change|update|edit|rename|delete|remove|set (?:the|call|task))", said, re.I)

    def _added(self, said: str, head: re.Match[str] | None) -> tuple[Act, ...]:
        wanted = new_tasks(said, head, self._writing, self._now)
        return (Act("add", tasks=wanted.tasks, other=wanted.other, sure=wanted.sure),)

    def _early(self, said: str) -> Act | None:
        """A time before the words that ask: "every Monday remind me to …", "tomorrow I have to …"."""
        timed = (
            take_when(said, self._now)
            if re.match(r"(?:every|each|on|at|in|next|tomorrow|today|tonight|this|by|from|daily|weekly)\b", said, re.I)
            else None
        )
        if timed is None or not timed.fields or timed.words == said or not said.endswith(timed.words[-8:]):
            return None
        rest = bare(timed.words)
        head = asks_for_tasks(rest)
        if head is None and not ("repeat" in timed.fields and rest.split()[0].casefold() in VERBS):
            return None
        wanted = new_tasks(rest, head, self._writing, self._now)
        tasks = tuple(replace(task, fields={**timed.fields, **task.fields}) for task in wanted.tasks)
        return Act("add", tasks=tasks, sure=wanted.sure and head is not None)


def asks_title(act: str, when: str) -> bool:
    """Whether "if" belongs to what is to be remembered: "remind me to ask if the shop is open"."""
    return (
        bool(re.search(r"\b(?:ask|check|see|find out|know|wonder|tell\w*|decide|whether)\b[\w ]*$", act, re.IGNORECASE))
        or not when
    )


__all__ = ["MessageReading", "read_message"]
