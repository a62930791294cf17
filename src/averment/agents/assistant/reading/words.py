"""The writing of a message put right: quotes kept whole, slang in plain words, decoration off, commands spelt."""

from __future__ import annotations

import re
from dataclasses import dataclass

from averment.agents.assistant.reading.spelling import corrected
from averment.language.word_lists import patterns

_PATTERNS = patterns("reading.words", "averment.agents.assistant")
_QUOTE = re.compile(_PATTERNS["quote"])
_MARK = re.compile("\ue000(\\d+)\ue001")
EMOJI = re.compile("[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+")
_THUMB_UP = re.compile("[\U0001f44d\U0001f44c\u2705\u2714\U0001f197\U0001f64f\U0001f4af]")
_THUMB_DOWN = re.compile("[\U0001f44e\u274c\U0001f6ab\u26d4]")
_SLANG = tuple(
    (re.compile(rf"(?<![\w'-])(?:{old})(?![\w'-])", re.IGNORECASE), new)
    for old, new in (
        (r"gimme", "give me"),
        (r"lemme", "let me"),
        (r"gotta", "got to"),
        (r"wanna", "want to"),
        (r"gonna", "going to"),
        (r"pl[sz]|plse|plzz", "please"),
        (r"thx|thnx|tnx|ty|cheers mate", "thanks"),
        (r"tmrw|tmr|tmw|2moro|2morrow|tomorow|tommorow|tommorrow|tomorrrow", "tomorrow"),
        (r"2nite|tonite", "tonight"),
        (r"teh|hte", "the"),
        (r"taht|tath", "that"),
        (r"ad(?= an? (?:task|taks|tsak|todo|reminder)\b)", "add"),
        (r"wat|wut", "what"),
        (r"(?:tsk|taks|taskz|tsaks|tassk)", "task"),
        (r"to[ -]do(?=s?\b)", "todo"),
        (r"can'?t you", "can you"),
    )
)
_W_SLASH = re.compile(r"(?<!\w)w/\s*", re.IGNORECASE)
_LAUGH = re.compile(_PATTERNS["laugh"], re.IGNORECASE)
_GREETING = (
    r"(?:hi+|hiya|hey+|hello+|yo|howdy|good (?:day|morning|afternoon|evening)|morning|greetings|dear assistant|"
    r"assistant|averment|alexa)(?:\s+(?:there|again|averment|assistant))?"
)
_OPENING = re.compile(
    rf"^(?:(?:{_GREETING})(?:\s*[,!.\u2013-]+\s*|\s+(?=\w))|(?:(?:ok(?:ay)?|alright|all right|right|"
    "well|so|also|and|oh|ah|um+|uh+|er+|"
    r"hmm+|btw|by the way|then|now|next|plus|great|cool|nice|perfect|super|good|fine|thanks|thank you|please|kindly|"
    r"quick(?:ly)?|quick one|just|yo)\b[,!.:]*\s+))+",
    re.IGNORECASE,
)
_ASKING = re.compile(_PATTERNS["asking"], re.IGNORECASE)
_SHOUTED = re.compile(r"[!?]*![!?]*\s*$")


@dataclass(frozen=True, slots=True)
class Writing:
    """A message with its quotations set aside; ``whole`` gives words back with them."""

    text: str
    quotes: tuple[str, ...]

    def whole(self, words: str) -> str:
        """Words with their quotations as they were written, without the marks."""
        return _MARK.sub(lambda found: self.quotes[int(found.group(1))], words)

    def quoted(self, words: str) -> tuple[str, ...]:
        """The quotations that the words hold."""
        return tuple(self.quotes[int(at)] for at in _MARK.findall(words))


MARK = _MARK


def put_right(text: str) -> Writing:
    """The message in plain writing; what was quoted stays as it was."""
    quotes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        said = next(part for part in found.groups() if part is not None)
        quotes.append(said.strip())
        return f"\ue000{len(quotes) - 1}\ue001"

    straight = text.replace("\u2019", "'") if "\u2018" not in text else text
    masked = _QUOTE.sub(keep, straight)
    masked = _W_SLASH.sub("with ", masked)
    for pattern, new in _SLANG:
        masked = pattern.sub(new, masked)
    return Writing(corrected(masked).strip(), tuple(quotes))


def thumbs(text: str) -> bool | None:
    """The yes or the no that signs give by themselves."""
    up, down = bool(_THUMB_UP.search(text)), bool(_THUMB_DOWN.search(text))
    return None if up == down else up


def without_signs(text: str) -> str:
    """The words without pictures."""
    return " ".join(EMOJI.sub(" ", text).split())


def bare(text: str) -> str:
    """A clause without greetings, courtesies and laughter, in one line."""
    short = " ".join(text.split())
    for _ in range(4):
        before = short
        short = _ASKING.sub("", _OPENING.sub("", short)).strip()
        short = _LAUGH.sub("", short).strip() or short
        short = _SHOUTED.sub("", short).rstrip()
        if short == before:
            break
    return short.strip(" ,;")


def shapes(*patterns: str) -> tuple[re.Pattern[str], ...]:
    """Patterns that a whole message must fit, but for its last marks."""
    return tuple(re.compile(rf"^(?:{pattern})[.!]*$", re.IGNORECASE | re.DOTALL) for pattern in patterns)


def target_of(found: re.Match[str], writing: Writing) -> str:
    """The words that a pattern points to, as they were written; "it" where it points to none."""
    return writing.whole(found.groupdict().get("target") or "it").strip(" ,:;")
