"""The kinds of question that an investigation is asked, each a class of words; and words that name nothing in it."""

from __future__ import annotations

import re

NUMBERED = r"\b(?:iteration|round|finding)\s+#?\d+\b"
"""A step of the investigation, which its memory tells."""

FUTURE = (
    r"\bwill\b(?! (?:you|we|i)\b)|\bforecast\w*|\bpredict\w*|\bproject(?:ed|ion)\b|\btomorrow\b"
    r"|\bgoing to (?:be|fall|rise|drop|grow)\b"
)
"""What is to come, which no record tells."""

ANOTHER = r"\b(?:average|mean|median|maximum|minimum|percentile|standard deviation|correlation)\b"
"""A figure of its own, which is asked of the files and not of the metric's breakdown."""

COUNTED = r"\bhow many\b|\bnumber of\b|\bcount of\b"
WITHOUT = (
    r"\b(?:without|excluding|excludes?|except|leaving out|apart from|aside from|if .* had not|ignor\w+|minus)\b"
    r"|\b(?:leave|take|keep|drop|strip|remove|cut)\b.*\b(?:out|off|away|aside)\b|\b(?:remove|drop|omit|subtract)\b"
    r"|\bdisregard\w*|\bhad (?:not changed|stayed)\b"
)
FACTOR = (
    r"\b(?:prices?|values?|amounts?|baskets?|rates?|ticket size|order size)\b.*\b(?:or|and|vs\.?|versus)\b.*"
    r"\b(?:volumes?|quantit(?:y|ies)|numbers?|counts?|mix|traffic|units)\b"
    r"|\b(?:volumes?|quantit(?:y|ies)|numbers?|counts?|mix|units)\b.*\b(?:or|and|vs\.?|versus)\b.*"
    r"\b(?:prices?|values?|amounts?|baskets?|rates?|size|slower|faster|higher|lower|each|themselves)\b"
    r"|\b(?:price|volume|mix|quantity) (?:effect|problem|issue|thing|shift)\b"
    r"|\b(?:fewer|less|more|smaller|larger|bigger|cheaper|dearer)\b \w+ or "
    r"\b(?:fewer|less|more|smaller|larger|bigger|cheaper|dearer)\b"
    r"|\bfewer (?:orders|rows|sales|customers|tickets)\b|\bmore (?:orders|rows|sales|tickets)\b|\bcheaper\b"
)
RULED_OUT = (
    r"\bruled?[ -]out\b|\breject\w*|\bdismiss\w*|\bdiscard\w*|\beliminat\w*|\bexclude[sd]? as\b"
    r"|\bnot? (?:be )?the (?:cause|reason|culprit)\b|\bn['’]t (?:it )?the \w+ (?:be )?(?:the )?(?:cause|reason)\b"
    r"|\b(?:isn|wasn|aren)['’]t\b.*\b(?:cause|reason|culprit)\b"
    r"|\bhypothes[ei]s\b.*\b(?:fail\w*|fell|false|wrong|not|no|drop\w*|disprov\w*)\b"
    r"|\b(?:fail\w*|false|wrong|disprov\w*)\b.*\bhypothes[ei]s\b"
    r"|\b(?:everything|all|what|which things?)\b.*\byou\b.*"
    r"\b(?:check|test|tr(?:y|ied)|look|examin|consider|stud(?:y|ied))\w*"
    r"|\bwhat else\b.*\b(?:look|test|tr(?:y|ied)|consider|check|examin)\w*|\balternative explanations?\b"
)
SURE = (
    r"\bhow (?:sure|certain|confident|reliable|significant|solid|robust|strong|safe|likely)\b|\bconfiden\w+|\bnoise\b"
    r"|\bcertain(?:ty|ly)?\b|\brandom\w*|\bchance\b|\bsignifican\w+|\bcoincidence\b|\btrust\b|\bare you sure\b"
    r"|\bproven?\b|\bluck\w*"
    r"|\bfluke\b|\bcould (?:it|this|that) be wrong\b|\breal or\b|\brobust\b|\bstatistical\w*|\bsolid\b"
    r"|\bhow good is the evidence\b|\bfluctuation\b|\baccident\b"
)
COMPLETE = (
    r"\bcomplete\w*\b|\bdata (?:quality|problems?|issues?|faults?|errors?|gaps?)\b|\b(?:any )?gaps?\b"
    r"|\bmissing (?:data|days?|rows?|values?|dates?)\b|\b(?:days?|rows?|data|dates?|values?|records?)\b.*\bmissing\b"
    r"|\bduplicat\w*|\b(?:wrong|broken|bad|faulty|dirty) data\b|\bdata (?:ok|okay|fine|good|clean|wrong|broken)\b"
    r"|\bwrong with the (?:data|files?|tables?|numbers)\b|\b(?:is|are) the data\b|\bdata fault\b|\bnulls?\b"
    r"|\boutliers?\b|\ball (?:the )?(?:rows|data|days|records)\b"
    r"|\b(?:load|import|tracking|pipeline) (?:error|problem|issue)s?\b"
    r"|\bloaded twice\b|\bcounted twice\b"
)
EXPECTED = (
    r"\bseason\w*|\bcalendar\b|\bweekdays?\b|\bholidays?\b|\btrends?\b|\bexpected\b|\bevery year\b"
    r"|\blast year\b|\busual\w*\b|\bnormal\b"
)
FOLLOWING = r"\b(?:do|check|look(?: at| into)?|happens?|test|try|ask|examine|investigate) next\b|\bnext steps?\b"
"""What comes after the investigation, whoever is to do it."""

NEXT = (
    r"\bnext steps?\b|\b(?:do|check|look at|happens?|test|try|ask) next\b|\brecommend\w*"
    r"|\bshould\b.*\b(?:do|check|look|ask|start|fix|act)\b"
    r"|\bwhat now\b|\bwhat next\b|\bwhat (?:can|could|must|do) (?:we|i|they)\b.*\bdo\b|\bactions?\b"
    r"|\bto do\b|\bto[- ]dos?\b"
    r"|\bcheck (?:first|now)\b|\bfollow up\b|\badvice\b|\badvise\b|\bsuggest\w*|\bhow (?:can|do|could) (?:we|i) fix\b"
)
REST = (
    r"\bunexplained\b|\bnot explained\b|\bremain\w*|\bleft over\b|\bunaccounted\b|\brest of\b"
    r"|\bhow much .* explain\w*|\bn['’]t explain\w*|\bcan(?:not|'t) .*explain\b"
)
WHEN = (
    r"\bwhen\b|\bsince\b|\bwhich day\b|\bwhat day\b|\bwhat date\b|\bstart(?:ed|s)?\b|\bbegan\b|\bbegin\b|\bonset\b"
    r"|\bhow long\b"
)
MOVERS = (
    r"\b(?:movers?|drivers?|detractors?|breakdown|break down|contribut\w+|most|largest|biggest|top|worst|best|which"
    r"|least|strongest|hardest|what)\b"
)
EACH = r"\b(?:by|per|each|every|across)\b"
CAUSES = (
    r"\bcaus\w+\b|\breasons?\b|\bwhy\b|\bexplanations?\b|\bexplains?\b|\bdrivers?\b|\bculprits?\b|\bwhat happened\b"
    r"|\bresponsible\b|\bbehind\b|\bdrove\b|\bdriving\b|\bwhat (?:did you|was) f(?:ind|ound)\b|\bmost likely\b|\btop \d"
    r"|\bwhat (?:went|goes) wrong\b|\bto blame\b|\bblame\b|\bhow come\b|\bwhat made\b|\broot of\b"
)
CHANGE = (
    r"\bhow (?:much|far|large|big|strongly)\b|\boverall\b|\bsummar\w+|\bheadline\b|\btl;?dr\b|\bin short\b"
    r"|\b(?:total|overall) change\b|\bwhat (?:is|was) the change\b|\b(?:one|a) sentence\b|\bin brief\b|\bbriefly\b"
    r"|\bhow many percent\b|\bpercentage\b|\bnutshell\b|\bwhat percent\b"
)
SUMMARY = (
    r"\bsummar\w+|\bheadline\b|\btl;?dr\b|\bin short\b|\b(?:one|a) sentence\b|\bin brief\b|\bbriefly\b|\bnutshell\b"
)

EVERYWHERE = (
    r"\bor (?:everybody|everyone|everything|everywhere|all|any)\b|\bacross the board\b"
    r"|\b(?:only|just) (?:one|some|in)\b"
)
"""Whether one value moved or all of them."""

PERSON = r"^\W*(?:who|whom|whose)\b"
"""A person, whom no passage of an investigation's memory tells."""

PEOPLE = (
    r"\b(?:customer|user|rep|agent|seller|employee|person|people|name|driver|doctor|physician|account|member|client"
    r"|player|student|patient|author|owner|staff|buyer|visitor)s?\b"
)
"""Columns that hold persons."""

PLAIN_WORDS = frozenset(
    """
    down up slow slower slowly fast faster bad badly worse worst good better best less more few fewer weak weaker strong
    stronger high higher low lower lose lost loss gain drop sell sold perform poor poorly go come get manager boss
    please give me just really still percent sentence tell october september january february march april may june
    july august november december last this past two three main number reason list show biggest largest
    """.split()
)
"""Words that name no column and no value."""


def asks(text: str, kind: str) -> bool:
    """Whether a question is of a kind."""
    return re.search(kind, text, re.IGNORECASE) is not None
