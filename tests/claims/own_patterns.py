"""How sentences are read: one pattern for each form, and who judges what it says."""

from own_reader import (
    NUMBER,
    VALUE,
    judge_asked,
    judge_correlation,
    judge_count,
    judge_difference,
    judge_differs,
    judge_end,
    judge_figure,
    judge_fullest,
    judge_list,
    judge_moved,
    judge_no_figure,
    judge_none,
    judge_outliers,
    judge_rank,
    judge_row,
    judge_share,
    judge_shared,
    judge_shares,
    judge_spans,
)

WHOM = r"(?P<whom> for (?:rows with no value for |fresh )?\S+)?"

JUDGES = (
    (
        rf"The (?P<end>highest|lowest) (?P<figure>.+) is (?P<value>{VALUE}), shared by (?P<count>{NUMBER}) .+",
        judge_shared,
    ),
    (r"(?:None|No): goods has no .*", judge_none),
    (r"There is no (?P<figure>.+): no (?:row of|group by) .*", judge_no_figure),
    (
        rf"(?:Yes: t|No: t|T)here (?:is|are) (?P<count>{NUMBER}) (?P<noun>[^:;]+)(?:: |; the first are )(?P<items>.+)",
        judge_list,
    ),
    (rf"(?:Yes: t|No: t|T)here (?:is|are) (?P<count>{NUMBER}) (?P<noun>.+)", judge_count),
    (
        rf"(?P<answer>Yes: |No: )?[tT]he (?P<figure>.+?) is (?P<word>higher|lower) for (?P<one>.+?), "
        rf"(?P<first>{VALUE}), than for (?P<two>.+?), (?P<second>{VALUE})",
        judge_asked,
    ),
    (
        rf"(?P<answer>Yes: |No: )?[tT]he (?P<figure>.+?) is the same for (?P<one>.+?), (?P<first>{VALUE}), "
        rf"and for (?P<two>.+?), (?P<second>{VALUE})",
        judge_asked,
    ),
    (
        rf"The (?P<figure>.+?) for (?P<one>.+?), {VALUE}, is (?P<derived>{VALUE}) (?P<word>higher|lower) than that for "
        rf"(?P<two>.+?), {VALUE}",
        judge_difference,
    ),
    (
        rf"The (?P<figure>.+?){WHOM} (?P<verb>rose|fell) from (?P<before>{VALUE}) in (?P<start>\d+) to "
        rf"(?P<after>{VALUE}) in (?P<end>\d+)(?:, by (?P<change>{VALUE}))?",
        judge_moved,
    ),
    (
        rf"The (?P<figure>.+?){WHOM} is the same in (?P<start>\d+), (?P<before>{VALUE}), and in "
        rf"(?P<end>\d+), (?P<after>{VALUE})(?P<change>)(?P<verb>)",
        judge_moved,
    ),
    (r"Of the (?P<figure>.+?), (?P<rest>.+ accounts for .+)", judge_shares),
    (rf"(?P<whom>.+) accounts for (?P<share>{VALUE}) of the (?P<figure>.+), (?P<value>{VALUE})", judge_share),
    (
        rf"(?P<whom>.+) (?:has|share) the (?P<place>second )?(?P<end>highest|lowest|most|fewest) (?P<figure>.+), "
        rf"(?P<value>{VALUE})(?:, leaving aside .+)?",
        judge_end,
    ),
    (
        rf"The (?P<figure>.+) is (?P<place>second )?(?P<end>highest|lowest) in (?P<whom>.+), at (?P<value>{VALUE})"
        rf"(?:, leaving aside .+)?",
        judge_end,
    ),
    (
        rf"The (?P<place>second )?(?P<end>highest|lowest|most|fewest) (?P<figure>.+?) (?:is|are) (?P<value>{VALUE}), "
        rf"(?:for|in) (?P<whom>.+?)(?:, leaving aside .+)?",
        judge_end,
    ),
    (r"The (?P<end>highest|lowest) (?P<figure>[^:]+): (?P<rest>.+)", judge_rank),
    (
        rf"(?P<one>\S+) and \S+ (?P<word>.*correlate.*?): r = (?P<r>{NUMBER}) over (?P<rows>{NUMBER}) rows"
        rf"(?: \(p (?P<p>[=<] ?{NUMBER})\))?",
        judge_correlation,
    ),
    (
        rf"The average weight is (?P<rest>.+); the (?:groups differ by more than chance explains"
        rf"|difference can be chance) \(Welch's [tF] = (?P<statistic>{NUMBER}), p (?:= |< ){NUMBER}\)",
        judge_differs,
    ),
    (rf"(?P<figure>\S+) has (?P<count>{NUMBER}) values, from (?P<low>{NUMBER}) to (?P<high>{NUMBER})", judge_spans),
    (rf"The fullest ranges? (?:is|are) .+, with (?P<count>{NUMBER}) values(?: each)?", judge_fullest),
    (
        rf"(?P<count>{NUMBER}) values? of \S+ lies? outside the usual range of "
        rf"(?P<low>{NUMBER}) to (?P<high>{NUMBER}), the lowest (?P<least>{NUMBER}) and the highest (?P<most>{NUMBER})",
        judge_outliers,
    ),
    (r"The one row has (?P<rest>.+)", judge_row),
    (r"The (?P<figure>colour|person|pieces|fresh|year) is (?P<rest>.+)", judge_row),
    (rf"The (?P<figure>(?:highest|lowest) weight) is (?P<rest>{VALUE})", judge_figure),
    (rf"The (?P<figure>.+?) is (?P<rest>{VALUE}(?: .+)?)", judge_figure),
)
